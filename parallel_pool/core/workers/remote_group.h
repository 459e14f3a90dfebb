// The envs of worker processes, as a group of the pool.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "parallel_pool/core/env_slots.h"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/workers/link.h"
#include "parallel_pool/core/workers/processes.h"
#include "parallel_pool/core/workers/shared_memory.h"

namespace parallel_pool {

// Stands for envs in other processes. Only envs of a dead worker are stepped here: they fail.
class RemoteGroup final : public EnvGroup {
 public:
  RemoteGroup(SharedMemory& memory, int num_envs, EnvCalls& calls)
      : seeds_(memory.MakeArray<SharedSeed>(num_envs)),
        errors_(memory.MakeArray<char>(num_envs * sizeof(Error::text))),
        calls_(calls) {}

  SharedSeed* seeds() const { return seeds_; }
  char* errors() const { return errors_; }

  bool Create(int32_t env, uint64_t seed, const Setup*, Error*) noexcept override {
    Seed(env, seed);
    return true;
  }
  bool Rebuild(int32_t, const Setup*, Error* error) noexcept override {
    internal::Write(error, "the options of a Python env cannot change");
    return false;
  }
  void Seed(int32_t env, uint64_t seed) noexcept override { seeds_[env] = {seed, 1}; }
  bool SetResetOptions(int32_t env, Span<OptionValue> values, Error* error) noexcept override {
    return internal::Guard(error, [&] { calls_.SetResetOptions(env, values[0].text); });
  }
  void Step(const int32_t*, const Turn*, int32_t count, std::byte* const*,
            Result* results) noexcept override {
    std::fill_n(results, count, Result{.outcome = {}, .new_world = false, .failed = true});
  }
  void Observe(const int32_t*, int32_t, std::byte* const*, int64_t, Result*) noexcept override {}
  const char* Failure(int32_t env) const override { return errors_ + env * sizeof(Error::text); }
  bool Save(int32_t env, Writer& writer, Error* error) noexcept override {
    return internal::Guard(error, [&] {
      const std::string state = calls_.Save(env);
      writer.Write(&seeds_[env], sizeof(SharedSeed));  // of a reset that is still to come
      writer.Write(state.data(), state.size());
    });
  }
  bool Load(int32_t env, Reader& reader, Error* error) noexcept override {
    return internal::Guard(error, [&] {
      SharedSeed seed{};
      if (!reader.Read(&seed, sizeof seed)) throw std::invalid_argument("the state is too short");
      std::string state(reader.left(), '\0');
      reader.Read(state.data(), state.size());
      calls_.Load(env, state);
      seeds_[env] = seed;
    });
  }
  bool Render(int32_t env, uint8_t* rgb, Error* error) noexcept override {
    return internal::Guard(error, [&] { calls_.Render(env, rgb); });
  }
  bool RenderText(int32_t env, Writer& text, Error* error) noexcept override {
    return internal::Guard(error, [&] {
      const std::string all = calls_.RenderText(env);
      text.Write(all.data(), all.size());
    });
  }

 private:
  SharedSeed* const seeds_;
  char* const errors_;
  EnvCalls& calls_;
};

}  // namespace parallel_pool
