// The Setup of a typed env: what the env describes, with one set of options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/env_checks.h"
#include "parallel_pool/core/guard.h"
#include "parallel_pool/core/load_once.h"
#include "parallel_pool/core/options.h"
#include "parallel_pool/core/players.h"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/spec.h"

namespace parallel_pool::internal {

// Sets the members of `config` that the user has given; the others keep their values.
template <class Config>
void SetGiven(const Options<Config>& options, Span<OptionValue> values, Config& config) {
  for (size_t k = 0; k < options.size(); ++k) {
    const OptionValue& value = values[static_cast<int32_t>(k)];
    if (!value.is_default) options[k].set(config, value);
  }
}

// The part of a Setup that does not depend on the type of its Env: compiled once, not for each.
class UntypedSetup : public Setup {
 public:
  UntypedSetup(const TaskSpec& task, Span<OptionSpec> reset_options)
      : task_(task), reset_options_(reset_options) {}

  const TaskSpec& task() const override { return task_; }
  Span<ArraySpec> action_spec() const override { return Span<ArraySpec>::Of(action_spec_); }
  Span<ArraySpec> state_spec() const override { return Span<ArraySpec>::Of(state_spec_); }
  Span<OptionValue> options() const override { return Span<OptionValue>::Of(options_); }
  Span<OptionSpec> reset_options() const override { return reset_options_; }
  int32_t most_players() const override { return most_players_; }
  Span<PlayerSpec> players() const override { return players_.all(); }
  bool is_deterministic() const override { return is_deterministic_; }
  const char* remark() const override { return remark_.c_str(); }
  int32_t render_fps() const override { return render_fps_; }
  int32_t goal_size() const override { return goal_size_; }
  int32_t preferred_chunk() const override { return preferred_chunk_; }

 protected:
  // Reads the result of the env's Describe, from which the specs borrow names and numbers. Throws
  // std::invalid_argument if its parts, or the numbers below, do not fit each other.
  void Read(const PlacedArrays& action, const PlacedArrays& state,
            const std::vector<Player>& players, bool counts_players) {
    CheckViews(action);
    CheckViews(state);
    for (const PlacedArray* const array : action) action_spec_.push_back(array->spec());
    for (const PlacedArray* const array : state) state_spec_.push_back(array->spec());
    most_players_ = PlayersOf(action_spec(), state_spec());
    if (counts_players && most_players_ == 0) {
      throw std::invalid_argument("there is NumPlayers(), but no array is PerPlayer(...)");
    }
    players_ = PlayerSpecs(players, action_spec(), state_spec(), most_players_);
    if (render_fps_ < 0) {
      throw std::invalid_argument("RenderFps() is " + std::to_string(render_fps_) +
                                  "; it must not be negative");
    }
    if (preferred_chunk_ < 1 || preferred_chunk_ > kMaxChunk) {
      throw std::invalid_argument("ChunkSize() is " + std::to_string(preferred_chunk_) +
                                  "; it must be between 1 and " + std::to_string(kMaxChunk));
    }
  }

  std::vector<OptionValue> options_;  // borrow texts and numbers of the config
  bool is_deterministic_ = false;
  std::string remark_;
  int32_t render_fps_ = 30;
  int32_t preferred_chunk_ = 1;
  int32_t goal_size_ = 0;

 private:
  const TaskSpec& task_;
  const Span<OptionSpec> reset_options_;
  std::vector<ArraySpec> action_spec_, state_spec_;
  int32_t most_players_ = 0;
  PlayerSpecs players_;
};

// The Setup of a typed Env.
template <class Env>
class TypedSetup final : public UntypedSetup {
 public:
  using Config = typename ConfigOf<Env>::type;

  TypedSetup(const TaskSpec& task, const Options<Config>& options, Span<OptionSpec> reset_options,
             Config complete, std::shared_ptr<Loads> loaded)
      : UntypedSetup(task, reset_options),
        config(std::move(complete)),
        spec(Env::Describe(config)),
        loads(std::move(loaded)) {
    for (const auto& option : options) options_.push_back(option.get(config));
    if constexpr (kHasRenderFps<Env>) render_fps_ = Env::RenderFps(config);
    if constexpr (kSaysIfDeterministic<Env>) is_deterministic_ = Env::IsDeterministic(config);
    if constexpr (kHasRemark<Env>) remark_ = Env::Remark(config);
    if constexpr (kHasGoals<Env>) goal_size_ = Env::GoalSize(config);
    if constexpr (kHasChunkSize<Env>) preferred_chunk_ = Env::ChunkSize(config);
    Read(Placed(spec.action), Placed(spec.state), spec.players, kCountsPlayers<Env>);
  }

  bool has_constant_players() const override { return !kCountsPlayers<Env>; }
  void JudgeGoals([[maybe_unused]] const double* achieved, [[maybe_unused]] const double* desired,
                  [[maybe_unused]] int64_t count,
                  [[maybe_unused]] Outcome* outcomes) const noexcept override {
    if constexpr (kHasGoals<Env>) {
      for (int64_t k = 0; k < count; ++k, achieved += goal_size_, desired += goal_size_) {
        outcomes[k] = Env::JudgeGoal(config, achieved, desired);
      }
    }
  }

  bool GetRenderSize([[maybe_unused]] ImageSize* size,
                     [[maybe_unused]] Error* error) const noexcept override {
    if constexpr (kCanRender<Env>) {
      return Guard(error, [&] { *size = Env::RenderSize(config); });
    }
    return false;
  }

  EnvGroup* MakeGroup(int32_t num_envs, Error* error) const noexcept override;

  const Config config;  // complete
  const EnvSpec<typename Env::Action, typename Env::State> spec;
  const std::shared_ptr<Loads> loads;  // what LoadOnce has loaded for it
};

}  // namespace parallel_pool::internal
