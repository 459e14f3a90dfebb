// The EnvGroup of a typed env. Only here are an env's own calls inlined into a loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/chunk.h"
#include "parallel_pool/core/env_checks.h"
#include "parallel_pool/core/env_setup.h"
#include "parallel_pool/core/env_slots.h"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/random.h"
#include "parallel_pool/core/save.h"
#include "parallel_pool/core/spec.h"

namespace parallel_pool::internal {

// The EnvGroup of a typed Env.
template <class Env>
class TypedGroup final : public EnvGroup {
 public:
  using Action = typename Env::Action;
  using State = typename Env::State;

  TypedGroup(const TypedSetup<Env>& setup, int32_t num_envs) : setup_(setup), slots_(num_envs) {}

  bool Create(int32_t env, uint64_t seed, const Setup* setup, Error* error) noexcept override {
    return Guard(error, [&] { slots_.Build(env, ConfigOf(setup), seed); });
  }

  bool Rebuild(int32_t env, const Setup* setup, Error* error) noexcept override {
    const bool is_built = Guard(error, [&] { slots_.Rebuild(env, ConfigOf(setup)); });
    error->env_is_lost = !slots_.is_built(env);
    return is_built;
  }

  bool Prepare(int32_t env, const NextReset& next, Error* error) noexcept override {
    return Guard(error, [&] {
      std::unique_ptr<typename EnvSlot<Env>::Next> own;
      if (next.seed != nullptr || next.setup != nullptr || next.reset_options.size > 0) {
        own.reset(new typename EnvSlot<Env>::Next());
        if (next.seed != nullptr) own->seed = *next.seed;
        if (next.setup != nullptr) own->config = &ConfigOf(next.setup);
        SetResetOptions(next.reset_options, own->reset_options);
      }
      slots_[env].next = std::move(own);
    });
  }

  void Step(const int32_t* envs, const Turn* turns, int32_t count, std::byte* const* actions,
            Result* results) noexcept override {
    const RowViews<Action> rows(setup_.spec.action, actions);
    [[maybe_unused]] auto steps = MakeChunk<kStepsChunks<Env>>(actions, envs, results);
    [[maybe_unused]] auto resets = MakeChunk<kResetsChunks<Env>>(actions, envs, results);
    for (int32_t i = 0; i < count; ++i) {
      EnvSlot<Env>& slot = slots_[envs[i]];
      try {
        if (turns[i] == Turn::kStep) {
          if constexpr (kStepsChunks<Env>) {
            results[i] = {};
            steps.Add(i);
          } else {
            results[i] = {.outcome = slot.env.Step(rows[envs[i]])};
          }
        } else if (turns[i] == Turn::kObserveOnly || Continues(slot.env, turns[i])) {
          results[i] = {};
        } else {
          results[i] = {.outcome = {}, .new_world = true};
          if (slot.next) [[unlikely]]
            slots_.TakeNext(envs[i]);
          if constexpr (kResetsChunks<Env>) {
            resets.Add(i);
          } else {
            Reset(slot);
          }
        }
      } catch (...) {
        results[i] = Fail(envs[i], setup_.spec.action, actions, envs[i]);
      }
    }
    if constexpr (kStepsChunks<Env>) RunTogether(steps, Env::StepChunk);
    if constexpr (kResetsChunks<Env>) RunTogether(resets, Env::ResetChunk);
  }

  void Observe(const int32_t* envs, int32_t count, std::byte* const* columns, int64_t first_row,
               Result* results) noexcept override {
    const RowViews<State> rows(setup_.spec.state, columns);
    for (int32_t i = 0; i < count; ++i) {
      if (results[i].failed) continue;
      EnvSlot<Env>& slot = slots_[envs[i]];
      const State state = rows[first_row + i];
      try {
        if constexpr (kCountsPlayers<Env>) {
          results[i].players = CheckPlayers(slot.env.NumPlayers(), setup_.most_players());
        }
        slot.env.Observe(state);
      } catch (...) {
        results[i] = Fail(envs[i], setup_.spec.state, columns, first_row + i);
      }
    }
  }

  const char* Failure(int32_t env) const override { return slots_[env].last_failure(); }

  bool Save([[maybe_unused]] int32_t env, [[maybe_unused]] Writer& writer,
            [[maybe_unused]] Error* error) noexcept override {
    if constexpr (kCanSave<Env>) {
      return Guard(error, [&] {
        WriteAll(writer, slots_[env].rng.Saved());
        WriteAll(writer, slots_[env].env.Saved());
      });
    }
    return false;
  }

  bool Load([[maybe_unused]] int32_t env, [[maybe_unused]] Reader& reader,
            [[maybe_unused]] Error* error) noexcept override {
    if constexpr (kCanSave<Env>) {
      return Guard(error, [&] {
        if (ReadAll(reader, slots_[env].rng.Saved()) && ReadAll(reader, slots_[env].env.Saved()) &&
            reader.left() == 0) {
          return;
        }
        throw std::invalid_argument("these bytes are no state of it");
      });
    }
    return false;
  }

  bool Render([[maybe_unused]] int32_t env, [[maybe_unused]] uint8_t* rgb,
              [[maybe_unused]] Error* error) noexcept override {
    if constexpr (kCanRender<Env>) {
      return Guard(error, [&] {
        const ImageSize size = Env::RenderSize(setup_.config);
        const Env& e = slots_[env].env;
        e.Render({rgb, static_cast<size_t>(size.height) * size.width * 3});
      });
    }
    return false;
  }

  bool RenderText([[maybe_unused]] int32_t env, [[maybe_unused]] Writer& text,
                  [[maybe_unused]] Error* error) noexcept override {
    if constexpr (kCanRenderText<Env>) {
      return Guard(error, [&] {
        const Env& e = slots_[env].env;
        const std::string all = e.RenderText();
        text.Write(all.data(), all.size());
      });
    }
    return false;
  }

  bool GetBodies([[maybe_unused]] int32_t env, [[maybe_unused]] bool with_shapes,
                 [[maybe_unused]] BodyReceiver& bodies,
                 [[maybe_unused]] Error* error) noexcept override {
    if constexpr (kHasBodies<Env>) {
      return Guard(error, [&] {
        const Env& e = slots_[env].env;
        e.GetBodies(with_shapes, bodies);
      });
    }
    return true;
  }

 private:
  // Called inside a catch block of a call that had row `row` of the columns. It makes the views
  // again: a reference to those of the call would keep them out of registers.
  template <class S>
  [[gnu::cold]] Result Fail(int32_t env, const std::vector<ArrayOf<S>>& arrays,
                            std::byte* const* columns, int64_t row) noexcept {
    Result result = slots_[env].Fail(arrays, RowViews<S>(arrays, columns)[row]);
    result.is_lost = !slots_.is_built(env);
    return result;
  }

  // The options of `setup`, or the group's own; see EnvGroup::Create.
  const typename TypedSetup<Env>::Config& ConfigOf(const Setup* setup) const {
    if (setup == nullptr) return setup_.config;
    const auto* const typed = static_cast<const TypedSetup<Env>*>(setup);
    if (!HaveSameRows(Placed(typed->spec.action), Placed(setup_.spec.action)) ||
        !HaveSameRows(Placed(typed->spec.state), Placed(setup_.spec.state))) {
      throw std::invalid_argument("an env of the pool has arrays of another shape");
    }
    return typed->config;
  }

  template <class ResetOptions>
  static void SetResetOptions([[maybe_unused]] Span<OptionValue> values,
                              [[maybe_unused]] ResetOptions& given) {
    if constexpr (kTakesResetOptions<Env>) {
      if (values.size == 0) return;
      SetGiven(ResetOptions::Describe(), values, given);
      if constexpr (requires { given.Check(); }) given.Check();
    }
  }

  // A Chunk for an env that has StepChunk or ResetChunk, else an empty type.
  template <bool has>
  auto MakeChunk(std::byte* const* actions, const int32_t* envs, Result* results) const {
    if constexpr (has) {
      return Chunk<Env>(slots_, setup_.spec.action, actions, envs, results);
    } else {
      return nullptr;
    }
  }
  static void RunTogether(Chunk<Env>& chunk, void (*call)(Chunk<Env>&)) noexcept {
    if (chunk.size() == 0) return;
    try {
      call(chunk);
    } catch (...) {
      chunk.Fail();
    }
  }

  // Whether the env continues in its world; false: a reset is due.
  static bool Continues([[maybe_unused]] Env& env, [[maybe_unused]] Turn turn) {
    if constexpr (requires { env.Continue(); }) {
      return turn == Turn::kContinue && env.Continue();
    }
    return false;
  }
  static void Reset(EnvSlot<Env>& slot) {
    if constexpr (kTakesResetOptions<Env>) {
      slot.env.Reset(std::exchange(slot.reset_options, {}));
    } else {
      slot.env.Reset();
    }
  }

  const TypedSetup<Env>& setup_;
  EnvSlots<Env> slots_;
};

template <class Env>
EnvGroup* TypedSetup<Env>::MakeGroup(int32_t num_envs, Error* error) const noexcept {
  EnvGroup* group = nullptr;
  Guard(error, [&] { group = new TypedGroup<Env>(*this, num_envs); });
  return group;
}

}  // namespace parallel_pool::internal
