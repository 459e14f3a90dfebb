// The envs of a pool in one block of memory, each with its random numbers, its reset options and
// its last error.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "parallel_pool/core/env_checks.h"
#include "parallel_pool/core/guard.h"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/random.h"
#include "parallel_pool/core/spec.h"

namespace parallel_pool::internal {

template <class Env>
Env MakeEnv(const typename ConfigOf<Env>::type& config, Rng& rng, [[maybe_unused]] int env) {
  if constexpr (std::is_constructible_v<Env, decltype(config), Rng&, int>) {
    return Env(config, rng, env);
  } else if constexpr (std::is_constructible_v<Env, decltype(config), Rng&>) {
    return Env(config, rng);
  } else {
    return Env(rng);
  }
}

// Called inside a catch block of a call that had the struct of `arrays` at `views`.
[[noreturn]] inline void ThrowAgain(const PlacedArrays& arrays, const void* views) {
  try {
    throw;
  } catch (const ViewError& error) {
    throw std::out_of_range(TextOf(error, arrays, views));
  }
}

// One env and its data. Aligned so that envs of different threads never share a cache line.
template <class Env>
struct alignas(64) EnvSlot {
  Rng rng;
  Env env;
  [[no_unique_address]] typename ResetOptionsOf<Env>::type reset_options;  // for the next Reset
  // How the next Reset begins: NextReset, as a copy.
  struct Next {
    std::optional<uint64_t> seed = {};
    const typename ConfigOf<Env>::type* config = nullptr;  // nullptr: its own
    [[no_unique_address]] typename ResetOptionsOf<Env>::type reset_options = {};
  };
  std::unique_ptr<Next> next;
  std::unique_ptr<Error> failure;

  EnvSlot(const typename ConfigOf<Env>::type& config, uint64_t seed, int number)
      : rng(seed), env(MakeEnv<Env>(config, rng, number)) {
    if constexpr (requires { env.Seed(seed); }) env.Seed(seed);
  }

  void Seed(uint64_t seed) {
    rng = Rng(seed);
    if constexpr (requires { env.Seed(seed); }) env.Seed(seed);
  }

  // Called inside a catch block of a call that had `views` of `arrays`: stores the message of the
  // exception, which may name an array.
  template <class S>
  [[gnu::cold]] Result Fail(const std::vector<ArrayOf<S>>& arrays, const S& views) noexcept {
    if (!failure) failure.reset(new (std::nothrow) Error);
    if (failure) Guard(failure.get(), [&] { ThrowAgain(Placed(arrays), &views); });
    return {.outcome = {}, .new_world = false, .failed = true};
  }
  const char* last_failure() const { return failure ? failure->text : kOutOfMemory; }
};

template <class Env>
class EnvSlots {
 public:
  using Slot = EnvSlot<Env>;
  using Config = typename ConfigOf<Env>::type;

  // Allocates the memory, but builds no env and writes to no page: the system then places each page
  // on the NUMA node of the thread that builds the first env in it (first touch).
  explicit EnvSlots(int32_t count)
      : slots_(std::allocator<Slot>().allocate(count)), configs_(count) {}
  ~EnvSlots() {
    for (size_t i = 0; i < configs_.size(); ++i) {
      if (configs_[i] != nullptr) std::destroy_at(&slots_[i]);
    }
  }

  // Builds env `i`; `config` must live as long as the env. Exceptions of the env's constructor
  // reach the caller.
  void Build(int32_t i, const Config& config, uint64_t seed) {
    std::construct_at(&slots_[i], config, seed, i);
    configs_[i] = &config;
  }
  // Builds env `i` again, with other options. Its random numbers go on; an env that draws others
  // (Env::Seed) gets a seed from them. If its constructor throws, it is built with its old options;
  // if that fails, too, it is not built any more.
  void Rebuild(int32_t i, const Config& config) {
    const Config* const old = std::exchange(configs_[i], nullptr);
    std::destroy_at(&slots_[i].env);
    try {
      Construct(i, config);
    } catch (...) {
      try {
        Construct(i, *old);
      } catch (...) {  // not built any more
        slots_[i].failure.reset();
      }
      throw;
    }
  }
  // Before a Reset of env `i`: what Prepare has asked for.
  void TakeNext(int32_t i) {
    const auto next = std::move(slots_[i].next);
    if (next->config != nullptr) Rebuild(i, *next->config);
    if (next->seed) slots_[i].Seed(*next->seed);
    slots_[i].reset_options = std::move(next->reset_options);
  }
  bool is_built(int32_t i) const { return configs_[i] != nullptr; }
  Slot& operator[](int32_t i) const { return slots_[i]; }

 private:
  struct Free {
    void operator()(Slot* slots) const {
      ::operator delete(slots, std::align_val_t{alignof(Slot)});
    }
  };

  void Construct(int32_t i, const Config& config) {
    Slot& slot = slots_[i];
    new (&slot.env) Env(MakeEnv<Env>(config, slot.rng, i));
    if constexpr (requires { slot.env.Seed(uint64_t{}); }) slot.env.Seed(slot.rng.Next64() >> 32);
    configs_[i] = &config;
  }

  const std::unique_ptr<Slot[], Free> slots_;
  std::vector<const Config*> configs_;  // of each env; nullptr: it is not built
};

}  // namespace parallel_pool::internal
