// Envs that answer calls in Python for all but their steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "parallel_pool/core/guard.h"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/workers/link.h"
#include "parallel_pool/core/workers/processes.h"

namespace parallel_pool {

// States, pictures and reset options go by EnvCalls; seeds wait for the env's next reset.
class CalledGroup : public EnvGroup {
 public:
  // `seeds` has one for each env. It and `calls` must outlive the group.
  CalledGroup(SharedSeed* seeds, int num_envs, EnvCalls& calls)
      : seeds_(seeds), first_seeds_(num_envs), has_options_(num_envs), calls_(calls) {}

  bool Create(int32_t env, uint64_t seed, const Setup*, Error*) noexcept override {
    seeds_[env] = {seed, kFirst};
    return true;
  }
  bool Rebuild(int32_t, const Setup*, Error* error) noexcept override {
    internal::Write(error, "the options of a Python env cannot change");
    return false;
  }
  bool Prepare(int32_t env, const NextReset& next, Error* error) noexcept override {
    const bool has_options = next.reset_options.size > 0;
    if (has_options || has_options_[env]) {
      const bool is_set = Ask(error, [&] {
        std::string text;
        if (has_options) text.assign(next.reset_options[0].text, next.reset_options[0].integer);
        calls_.SetResetOptions(env, text);
      });
      if (!is_set) return false;
      has_options_[env] = has_options;
    }
    SharedSeed& seed = seeds_[env];
    if (seed.given == 0) first_seeds_[env].reset();  // a reset has come since the last call
    if (seed.given == kFirst) first_seeds_[env] = seed.seed;
    if (next.seed != nullptr) {
      seed = {*next.seed, kPrepared};
    } else if (seed.given == kPrepared) {
      seed = first_seeds_[env] ? SharedSeed{*first_seeds_[env], kFirst} : SharedSeed{};
    }
    return true;
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

  // Values of SharedSeed::given: the seed of Create, or that of Prepare.
  static constexpr uint32_t kFirst = 1, kPrepared = 2;

  SharedSeed* const seeds_;
  std::vector<std::optional<uint64_t>> first_seeds_;  // by env, while no reset has come
  std::vector<uint8_t> has_options_;  // by env: it may hold options of a reset, so they are cleared
  EnvCalls& calls_;
};

}  // namespace parallel_pool
