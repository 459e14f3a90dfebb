#include "parallel_pool/core/learner/returns.h"

#include <algorithm>

namespace parallel_pool {
namespace {

// Row k of step t.
template <class T>
class Row {
 public:
  Row(const Transitions<T>& r, int64_t t, int64_t k) : r_(r), t_(t), k_(k), i_(t * r.width + k) {}

  int64_t index() const { return i_; }
  bool is_transition() const { return r_.is_transition == nullptr || r_.is_transition[i_]; }
  bool ended() const { return r_.terminated[i_] || r_.truncated[i_]; }
  bool is_last() const { return t_ + 1 == r_.steps; }
  T reward() const { return r_.reward[i_]; }
  T value() const { return r_.value[i_]; }
  // V'
  T next_value() const {
    if (r_.terminated[i_]) return 0;
    if (r_.truncated[i_] && r_.final_value != nullptr) return r_.final_value[i_];
    return is_last() ? r_.last_value[k_] : r_.value[i_ + r_.width];
  }
  // The next row's number in an array of results; `at_end` after the last step.
  T Next(const T* results, T at_end) const { return is_last() ? at_end : results[i_ + r_.width]; }

 private:
  const Transitions<T>& r_;
  const int64_t t_, k_, i_;
};

// Calls f(row) for all rows, the last step first.
template <class T, class F>
void Backwards(const Transitions<T>& rollout, const F& f) {
  for (int64_t t = rollout.steps - 1; t >= 0; --t) {
    for (int64_t k = 0; k < rollout.width; ++k) f(Row<T>(rollout, t, k));
  }
}

}  // namespace

template <class T>
void FindGae(const Transitions<T>& rollout, double gamma, double lambda, T* advantage, T* target) {
  const T discount = static_cast<T>(gamma), decay = static_cast<T>(gamma * lambda);
  Backwards(rollout, [&](const Row<T>& row) {
    T& result = advantage[row.index()];
    result = target[row.index()] = 0;
    if (!row.is_transition()) return;
    result = row.reward() + discount * row.next_value() - row.value();
    if (!row.ended()) result += decay * row.Next(advantage, 0);
    target[row.index()] = result + row.value();
  });
}

template <class T>
void FindLambdaReturns(const Transitions<T>& rollout, double gamma, double lambda, T* target) {
  const T discount = static_cast<T>(gamma), decay = static_cast<T>(lambda);
  const T rest = static_cast<T>(1 - lambda);
  Backwards(rollout, [&](const Row<T>& row) {
    T& result = target[row.index()];
    result = 0;
    if (!row.is_transition()) return;
    const T next = row.next_value();
    result = row.reward() +
             discount * (row.ended() ? next : rest * next + decay * row.Next(target, next));
  });
}

template <class T>
void FindNStepReturns(const Transitions<T>& rollout, int64_t n, double gamma, T* target) {
  Backwards(rollout, [&](const Row<T>& first) {
    T& result = target[first.index()];
    result = 0;
    if (!first.is_transition()) return;
    const int64_t t = first.index() / rollout.width, k = first.index() % rollout.width;
    const T discount = static_cast<T>(gamma);
    T power = 1;
    for (int64_t m = 0;; ++m) {
      const Row<T> row(rollout, t + m, k);
      result += power * row.reward();
      power *= discount;
      if (m + 1 < n && !row.ended() && !row.is_last()) continue;
      result += power * row.next_value();
      return;
    }
  });
}

template <class T>
void FindVtrace(const Transitions<T>& rollout, const T* ratio, double gamma, double lambda,
                double clip_rho, double clip_c, T* target, T* advantage) {
  const T discount = static_cast<T>(gamma), decay = static_cast<T>(lambda);
  const T most_rho = static_cast<T>(clip_rho), most_c = static_cast<T>(clip_c);
  const auto rho = [&](const Row<T>& row) { return std::min(most_rho, ratio[row.index()]); };
  T* const errors = advantage;  // at first
  Backwards(rollout, [&](const Row<T>& row) {
    const int64_t i = row.index();
    target[i] = errors[i] = 0;
    if (!row.is_transition()) return;
    const T c = decay * std::min(most_c, ratio[i]);
    errors[i] = rho(row) * (row.reward() + discount * row.next_value() - row.value());
    if (!row.ended()) errors[i] += discount * c * row.Next(errors, 0);
    target[i] = row.value() + errors[i];
  });
  Backwards(rollout, [&](const Row<T>& row) {
    if (!row.is_transition()) return;
    const T next = row.ended() ? row.next_value() : row.Next(target, row.next_value());
    advantage[row.index()] = rho(row) * (row.reward() + discount * next - row.value());
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
