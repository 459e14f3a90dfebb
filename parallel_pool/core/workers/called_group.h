// Envs that answer calls in Python for all but their steps.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "parallel_pool/core/guard.h"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/workers/link.h"
#include "parallel_pool/core/workers/processes.h"

namespace parallel_pool {

// States, pictures and reset options go by EnvCalls; seeds wait for the env's next reset.
class CalledGroup : public EnvGroup {
 public:
  // `seeds` has one for each env. It and `calls` must outlive the group.
  CalledGroup(SharedSeed* seeds, EnvCalls& calls) : seeds_(seeds), calls_(calls) {}

  bool Create(int32_t env, uint64_t seed, const Setup*, Error*) noexcept override {
    Seed(env, seed);
    return true;
  }
  bool Rebuild(int32_t, const Setup*, Error* error) noexcept override {
    internal::Write(error, "the options of a Python env cannot change");
    return false;
  }
  void Seed(int32_t env, uint64_t seed) noexcept override { seeds_[env] = {seed, 1}; }
  bool Prepare(int32_t env, const uint64_t* seed, const Setup*, Error*) noexcept override {
    seeds_[env] = seed == nullptr ? SharedSeed{} : SharedSeed{*seed, 1};
    return true;
  }
  bool SetResetOptions(int32_t env, Span<OptionValue> values, Error* error) noexcept override {
    const std::string options(values[0].text, values[0].integer);
    return Ask(error, [&] { calls_.SetResetOptions(env, options); });
  }
  bool Save(int32_t env, Writer& writer, Error* error) noexcept override {
    return Ask(error, [&] {
      const std::string state = calls_.Save(env);
      writer.Write(&seeds_[env], sizeof(SharedSeed));  // of a reset that is still to come
      writer.Write(state.data(), state.size());
    });
  }
  bool Load(int32_t env, Reader& reader, Error* error) noexcept override {
    return Ask(error, [&] {
      SharedSeed seed{};
      if (!reader.Read(&seed, sizeof seed)) throw std::invalid_argument("the state is too short");
      std::string state(reader.left(), '\0');
      reader.Read(state.data(), state.size());
      calls_.Load(env, state);
      seeds_[env] = seed;
    });
  }
  bool Render(int32_t env, uint8_t* rgb, Error* error) noexcept override {
    return Ask(error, [&] { calls_.Render(env, rgb); });
  }
  bool RenderText(int32_t env, Writer& text, Error* error) noexcept override {
    return Ask(error, [&] {
      const std::string all = calls_.RenderText(env);
      text.Write(all.data(), all.size());
    });
  }

  SharedSeed* seeds() const { return seeds_; }

 private:
  // The same as Guard; a std::invalid_argument is a refusal.
  template <class Body>
  static bool Ask(Error* error, const Body& body) noexcept {
    return internal::Guard(error, [&] {
      try {
        body();
      } catch (const std::invalid_argument&) {
        error->is_refusal = true;
        throw;
      }
    });
  }

  SharedSeed* const seeds_;
  EnvCalls& calls_;
};

}  // namespace parallel_pool
