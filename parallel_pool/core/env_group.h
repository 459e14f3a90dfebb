// What runs the envs of a pool: the one place where an env's own calls are inlined into a loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/env_checks.h"
#include "parallel_pool/core/env_slots.h"
#include "parallel_pool/core/options.h"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/random.h"
#include "parallel_pool/core/save.h"
#include "parallel_pool/core/spec.h"

namespace parallel_pool::internal {

// Sets those members of `config` that the user has given; the others stay.
template <class Config>
void SetGiven(const Options<Config>& options, Span<OptionValue> values, Config& config) {
  for (size_t k = 0; k < options.size(); ++k) {
    const OptionValue& value = values[static_cast<int32_t>(k)];
    if (!value.is_default) options[k].set(config, value);
  }
}

// The EnvGroup of a typed Env.
template <class Env>
class TypedGroup final : public EnvGroup {
 public:
  using Config = typename ConfigOf<Env>::type;
  using Action = typename Env::Action;
  using State = typename Env::State;

  TypedGroup(const Options<Config>& options, const Config& config, int32_t num_envs)
      : config_(config), spec_(Env::Describe(config)), slots_(num_envs) {
    for (const auto& option : options) options_.push_back(option.get(config_));
    for (const auto& array : spec_.action) action_spec_.push_back(array.spec());
    for (const auto& array : spec_.state) state_spec_.push_back(array.spec());
    most_players_ = PlayersOf(action_spec(), state_spec());
    if (kCounts && most_players_ == 0) {
      throw std::invalid_argument("there is NumPlayers(), but no array is PerPlayer(...)");
    }
    if constexpr (kHasFps<Env>) render_fps_ = Env::RenderFps(config_);
    if (render_fps_ < 0) {
      throw std::invalid_argument("RenderFps() is " + std::to_string(render_fps_) +
                                  "; it must not be negative");
    }
  }

  Span<ArraySpec> action_spec() const override { return Whole(action_spec_); }
  Span<ArraySpec> state_spec() const override { return Whole(state_spec_); }
  Span<OptionValue> options() const override { return Whole(options_); }
  int32_t render_fps() const override { return render_fps_; }

  bool Create(int32_t env, uint64_t seed, Error* error) noexcept override {
    return Guard(error, [&] { slots_.Build(env, config_, seed); });
  }

  void Seed(int32_t env, uint64_t seed) noexcept override {
    slots_[env].rng = Rng(seed);
    if constexpr (requires(Env& e) { e.Seed(seed); }) slots_[env].env.Seed(seed);
  }

  bool SetResetOptions([[maybe_unused]] int32_t env, [[maybe_unused]] Span<OptionValue> values,
                       [[maybe_unused]] Error* error) noexcept override {
    if constexpr (kTakesResetOptions<Env>) {
      return Guard(error, [&] {
        typename Env::ResetOptions given;
        SetGiven(Env::ResetOptions::Describe(), values, given);
        if constexpr (requires { given.Check(); }) given.Check();
        slots_[env].reset_options = given;
      });
    }
    return false;
  }

  void Step(const int32_t* envs, const Turn* turns, int32_t count, std::byte* const* actions,
            Result* results) noexcept override {
    const Rows<Action> rows(spec_.action, actions);
    for (int32_t i = 0; i < count; ++i) {
      EnvSlot<Env>& slot = slots_[envs[i]];
      try {
        results[i] = turns[i] == Turn::kStep   ? Advance(slot.env, rows[envs[i]])
                     : turns[i] == Turn::kLook ? Result{}
                                               : Begin(slot, turns[i]);
      } catch (...) {
        results[i] = slot.Fail();
      }
    }
  }

  void Observe(const int32_t* envs, int32_t count, std::byte* const* columns, int64_t first_row,
               Result* results) noexcept override {
    const Rows<State> rows(spec_.state, columns);
    for (int32_t i = 0; i < count; ++i) {
      if (results[i].failed) continue;
      EnvSlot<Env>& slot = slots_[envs[i]];
      const State state = rows[first_row + i];
      try {
        if constexpr (kCounts) {
          results[i].players = CheckPlayers(slot.env.NumPlayers(), most_players_);
        }
        slot.env.Observe(state);
      } catch (...) {
        results[i] = slot.Fail();
      }
    }
  }

  const char* Failure(int32_t env) const override { return slots_[env].failure->text; }

  bool can_save() const override { return kSaves; }

  bool Save([[maybe_unused]] int32_t env, [[maybe_unused]] Writer& writer) noexcept override {
    if constexpr (kSaves) {
      return Try(env, [&](Env& e) {
        WriteAll(writer, slots_[env].rng.Saved());
        WriteAll(writer, e.Saved());
      });
    }
    return false;
  }

  bool Load([[maybe_unused]] int32_t env, [[maybe_unused]] Reader& reader) noexcept override {
    if constexpr (kSaves) {
      bool read = false;
      return Try(env,
                 [&](Env& e) {
                   read = ReadAll(reader, slots_[env].rng.Saved()) && ReadAll(reader, e.Saved()) &&
                          reader.left() == 0;
                 }) &&
             read;
    }
    return false;
  }

  bool GetRenderSize([[maybe_unused]] ImageSize* size,
                     [[maybe_unused]] Error* error) const noexcept override {
    if constexpr (kDraws<Env>) {
      return Guard(error, [&] { *size = Env::RenderSize(config_); });
    }
    return false;
  }

  bool Render([[maybe_unused]] int32_t env, [[maybe_unused]] uint8_t* rgb) noexcept override {
    if constexpr (kDraws<Env>) {
      return Try(env, [&](const Env& e) {
        const ImageSize size = Env::RenderSize(config_);
        e.Render({rgb, static_cast<size_t>(size.height) * size.width * 3});
      });
    }
    return false;
  }

  bool RenderText([[maybe_unused]] int32_t env, [[maybe_unused]] Writer& text) noexcept override {
    if constexpr (kWrites<Env>) {
      return Try(env, [&](const Env& e) {
        const std::string all = e.RenderText();
        text.Write(all.data(), all.size());
      });
    }
    return false;
  }

 private:
  static constexpr bool kSaves = requires(Env& e) { e.Saved(); };
  static constexpr bool kCounts = requires(const Env& e) { e.NumPlayers(); };

  template <class T>
  static Span<T> Whole(const std::vector<T>& v) {
    return {v.data(), static_cast<int32_t>(v.size())};
  }

  // False, with the reason kept, if body(env) throws.
  template <class Body>
  bool Try(int32_t env, const Body& body) noexcept {
    try {
      body(slots_[env].env);
      return true;
    } catch (...) {
      slots_[env].Fail();
    }
    return false;
  }

  static Result Advance(Env& env, const Action& action) { return {.outcome = env.Step(action)}; }

  Result Begin(EnvSlot<Env>& slot, [[maybe_unused]] Turn turn) {
    if constexpr (requires { slot.env.Continue(); }) {
      if (turn == Turn::kContinue && slot.env.Continue()) return {};
    }
    if constexpr (kTakesResetOptions<Env>) {
      slot.env.Reset(std::exchange(slot.reset_options, {}));
    } else {
      slot.env.Reset();
    }
    return {.outcome = {}, .new_world = true};
  }

  const Config config_;
  const EnvSpec<Action, State> spec_;
  std::vector<ArraySpec> action_spec_, state_spec_;
  std::vector<OptionValue> options_;  // their texts and numbers are config_'s
  int32_t most_players_ = 0;
  int32_t render_fps_ = 30;
  EnvSlots<Env> slots_;
};

}  // namespace parallel_pool::internal
