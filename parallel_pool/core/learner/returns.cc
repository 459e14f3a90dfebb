#include "parallel_pool/core/learner/returns.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace parallel_pool {
namespace {

// One step of all time lines: row k is that of time line k.
template <class T>
struct Step {
  int64_t first;  // the number of row 0 in all arrays
  const T *reward, *value;
  const T* next;   // the values of the next rows
  const T* final;  // those of the episodes' last observations, where truncated
  const bool *terminated, *truncated, *is_transition;
  bool is_last;

  bool ended(int64_t k) const { return terminated[k] || truncated[k]; }
  // V'
  T next_value(int64_t k) const {
    const T value = truncated[k] ? final[k] : next[k];
    return terminated[k] ? T{0} : value;
  }
  // The next step's row of an array of results; `at_end` after the last step.
  const T* Later(const T* results, int64_t width, const T* at_end) const {
    return is_last ? at_end : results + first + width;
  }
};

template <class T>
class Steps {
 public:
  explicit Steps(const Transitions<T>& r)
      : r_(r), zeros_(r.width), ones_(std::make_unique<bool[]>(r.width)) {
    std::fill_n(ones_.get(), r.width, true);
  }

  Step<T> At(int64_t t) const {
    const int64_t first = t * r_.width;
    const bool is_last = t + 1 == r_.steps;
    const T* const next = is_last ? r_.last_value : r_.value + first + r_.width;
    return {.first = first,
            .reward = r_.reward + first,
            .value = r_.value + first,
            .next = next,
            .final = r_.final_value != nullptr ? r_.final_value + first : next,
            .terminated = r_.terminated + first,
            .truncated = r_.truncated + first,
            .is_transition = r_.is_transition != nullptr ? r_.is_transition + first : ones_.get(),
            .is_last = is_last};
  }
  // Calls f(step, k) for all rows, the last step first.
  template <class F>
  void Backwards(const F& f) const {
    for (int64_t t = r_.steps - 1; t >= 0; --t) {
      const Step<T> step = At(t);
      for (int64_t k = 0; k < r_.width; ++k) f(step, k);
    }
  }
  const T* zeros() const { return zeros_.data(); }

 private:
  const Transitions<T>& r_;
  const std::vector<T> zeros_;          // a row
  const std::unique_ptr<bool[]> ones_;  // a row
};

}  // namespace

template <class T>
void FindGae(const Transitions<T>& rollout, double gamma, double lambda, T* advantage, T* target) {
  const T discount = static_cast<T>(gamma), decay = static_cast<T>(gamma * lambda);
  const Steps<T> steps(rollout);
  steps.Backwards([&](const Step<T>& step, int64_t k) {
    const T later = step.Later(advantage, rollout.width, steps.zeros())[k];
    const T error = step.reward[k] + discount * step.next_value(k) - step.value[k];
    const T result = step.ended(k) ? error : error + decay * later;
    advantage[step.first + k] = step.is_transition[k] ? result : T{0};
    target[step.first + k] = step.is_transition[k] ? result + step.value[k] : T{0};
  });
}

template <class T>
void FindLambdaReturns(const Transitions<T>& rollout, double gamma, double lambda, T* target) {
  const T discount = static_cast<T>(gamma), decay = static_cast<T>(lambda);
  const T rest = static_cast<T>(1 - lambda);
  Steps<T>(rollout).Backwards([&](const Step<T>& step, int64_t k) {
    const T next = step.next_value(k);
    const T later = step.is_last ? next : target[step.first + rollout.width + k];
    const T mixed = step.ended(k) ? next : rest * next + decay * later;
    const T result = step.reward[k] + discount * mixed;
    target[step.first + k] = step.is_transition[k] ? result : T{0};
  });
}

template <class T>
void FindNStepReturns(const Transitions<T>& rollout, int64_t n, double gamma, T* target) {
  const T discount = static_cast<T>(gamma);
  const Steps<T> steps(rollout);
  steps.Backwards([&](const Step<T>& first, int64_t k) {
    T& result = target[first.first + k];
    result = 0;
    if (!first.is_transition[k]) return;
    T power = 1;
    const int64_t t = first.first / rollout.width;
    for (int64_t m = 0;; ++m) {
      const Step<T> step = steps.At(t + m);
      result += power * step.reward[k];
      power *= discount;
      if (m + 1 < n && !step.ended(k) && !step.is_last) continue;
      result += power * step.next_value(k);
      return;
    }
  });
}

template <class T>
void FindVtrace(const Transitions<T>& rollout, const T* ratio, double gamma, double lambda,
                double clip_rho, double clip_c, T* target, T* advantage) {
  const T discount = static_cast<T>(gamma), decay = static_cast<T>(lambda);
  const T most_rho = static_cast<T>(clip_rho), most_c = static_cast<T>(clip_c);
  const Steps<T> steps(rollout);
  T* const errors = advantage;  // at first
  steps.Backwards([&](const Step<T>& step, int64_t k) {
    const int64_t i = step.first + k;
    const T c = decay * std::min(most_c, ratio[i]), rho = std::min(most_rho, ratio[i]);
    const T later = step.Later(errors, rollout.width, steps.zeros())[k];
    const T own = rho * (step.reward[k] + discount * step.next_value(k) - step.value[k]);
    const T error = step.ended(k) ? own : own + discount * c * later;
    errors[i] = step.is_transition[k] ? error : T{0};
    target[i] = step.is_transition[k] ? step.value[k] + error : T{0};
  });
  steps.Backwards([&](const Step<T>& step, int64_t k) {
    const int64_t i = step.first + k;
    const T rho = std::min(most_rho, ratio[i]), own = step.next_value(k);
    const T next = step.ended(k) || step.is_last ? own : target[i + rollout.width];
    const T result = rho * (step.reward[k] + discount * next - step.value[k]);
    advantage[i] = step.is_transition[k] ? result : T{0};
  });
}

#define FOR_EACH_NUMBER_TYPE(T)                                                                    \
  template void FindGae<T>(const Transitions<T>&, double, double, T*, T*);                         \
  template void FindLambdaReturns<T>(const Transitions<T>&, double, double, T*);                   \
  template void FindNStepReturns<T>(const Transitions<T>&, int64_t, double, T*);                   \
  template void FindVtrace<T>(const Transitions<T>&, const T*, double, double, double, double, T*, \
                              T*);
FOR_EACH_NUMBER_TYPE(float)
FOR_EACH_NUMBER_TYPE(double)
#undef FOR_EACH_NUMBER_TYPE

}  // namespace parallel_pool
