// Which envs of a pool may be sent something, and the errors for those that may not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace parallel_pool {

class Claims {
 public:
  // Errors begin with `task`.
  Claims(std::string task, int num_envs) : task_(std::move(task)), flights_(num_envs) {}

  // Marks `envs` as in flight. Throws std::invalid_argument, with nothing changed, if there is
  // none, or one is unknown, named twice, in flight or lost, or `refusal(env)`, which is nullptr or
  // a reason, has a reason.
  template <class Refusal>
  void Claim(std::span<const int32_t> envs, const Refusal& refusal) {
    if (envs.empty()) RefuseNone();
    // Local: a store through uint8_t* may alias any member and would force a reload.
    uint8_t* const flights = flights_.data();
    const auto num_envs = static_cast<uint32_t>(flights_.size());
    for (size_t i = 0; i < envs.size(); ++i) {
      const int32_t env = envs[i];
      const bool is_idle = static_cast<uint32_t>(env) < num_envs && flights[env] == kIdle;
      const char* const why = is_idle ? refusal(env) : nullptr;
      if (!is_idle || why != nullptr) {
        Release(envs.first(i));
        Refuse(envs, i, why);
      }
      flights[env] = kInFlight;
    }
  }
  // Marks `envs` as idle, but for lost ones.
  void Release(std::span<const int32_t> envs) {
    uint8_t* const flights = flights_.data();  // local: see Claim()
    for (const int32_t env : envs) {
      if (flights[env] == kInFlight) flights[env] = kIdle;
    }
  }
  // The env could be built neither with new options nor with its old ones: no call can claim it.
  void Lose(int32_t env) { flights_[env] = kLost; }
  std::vector<int32_t> Idle() const;

 private:
  enum Flight : uint8_t { kIdle, kInFlight, kLost };

  [[noreturn]] void RefuseNone() const;
  // Throws with the reason why envs[i] cannot be claimed: `why`, or if that is nullptr its state.
  [[noreturn]] void Refuse(std::span<const int32_t> envs, size_t i, const char* why) const;

  const std::string task_;
  std::vector<uint8_t> flights_;  // a Flight for each env
};

// Why an env takes no action without autoreset; `begun`: whether it was ever reset.
inline const char* NeedsReset(bool begun) {
  return begun ? ": its episode has ended; reset it first"
               : ": it has no episode yet; reset it first";
}

// Throws std::runtime_error unless `rows` in flight fill a batch of `batch_rows`; in a `sync` pool
// one row does.
void CheckFills(const std::string& task, int64_t rows, int64_t batch_rows, bool sync);

}  // namespace parallel_pool
