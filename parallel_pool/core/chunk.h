// The envs that one call of StepChunk or ResetChunk steps or resets together:
//
//   static void StepChunk(Chunk<MyEnv>& chunk) {
//     chunk.ForEach([&](int i) { chunk.env(i).Send(chunk.action(i)); });
//     chunk.ForEach([&](int i) { chunk.outcome(i) = chunk.env(i).Wait(); });
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "parallel_pool/core/env_slots.h"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/spec.h"

namespace parallel_pool {

// A list of envs, valid only within the call that receives it.
template <class Env>
class Chunk {
 public:
  using Action = typename Env::Action;

  Chunk(const internal::EnvSlots<Env>& slots, const std::vector<ArrayOf<Action>>& arrays,
        std::byte* const* actions, const int32_t* envs, Result* results)
      : slots_(slots), arrays_(arrays), actions_(arrays, actions), envs_(envs), results_(results) {}

  // Engine only: adds the env of turn number `turn` of the call of EnvGroup::Step.
  void Add(int turn) { turns_[size_++] = static_cast<int16_t>(turn); }

  // The functions below throw std::out_of_range unless `i` is in 0 .. size() - 1.
  int size() const { return size_; }
  Env& env(int i) const { return slot(i).env; }
  Action action(int i) const { return actions_[envs_[turn(i)]]; }
  // The outcome of env i's step, for StepChunk to set.
  Outcome& outcome(int i) const { return results_[turn(i)].outcome; }
  // The options of env i's reset, for ResetChunk; the second call returns the defaults.
  auto reset_options(int i) const { return std::exchange(slot(i).reset_options, {}); }

  // Runs body(i) for each env i that has not failed. An exception of body(i) fails only env i.
  template <class Body>
  void ForEach(const Body& body) {
    for (int i = 0; i < size_; ++i) {
      Result& result = results_[turns_[i]];
      if (result.failed) continue;
      try {
        body(i);
      } catch (...) {
        result = slot(i).Fail(arrays_, action(i));
      }
    }
  }

  // Marks all envs as failed. Called inside a catch block.
  void Fail() {
    for (int i = 0; i < size_; ++i) results_[turns_[i]] = slot(i).Fail(arrays_, action(i));
  }

 private:
  int turn(int i) const {
    if (i < 0 || i >= size_) [[unlikely]]
      internal::ThrowChunk(i, size_);
    return turns_[i];
  }
  internal::EnvSlot<Env>& slot(int i) const { return slots_[envs_[turn(i)]]; }

  const internal::EnvSlots<Env>& slots_;
  const std::vector<ArrayOf<Action>>& arrays_;
  const internal::RowViews<Action> actions_;
  const int32_t* const envs_;
  Result* const results_;
  int size_ = 0;
  int16_t turns_[kMaxChunk];  // numbers of this chunk's turns in the call of EnvGroup::Step
};

}  // namespace parallel_pool
