// Checks that a class is an env (env.h lists the members). A missing or wrong member is a readable
// compiler error.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

#include "parallel_pool/core/options.h"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/random.h"
#include "parallel_pool/core/spec.h"

namespace parallel_pool {

struct NoConfig {};

template <class Env>
class Chunk;  // chunk.h

namespace internal {

template <class Env>
struct ConfigOf {
  using type = NoConfig;
};
template <class Env>
  requires requires { typename Env::Config; }
struct ConfigOf<Env> {
  using type = typename Env::Config;
};

// The options of one reset.
template <class Env>
struct ResetOptionsOf {
  using type = NoConfig;
};
template <class Env>
  requires requires { typename Env::ResetOptions; }
struct ResetOptionsOf<Env> {
  using type = typename Env::ResetOptions;
};
template <class Env>
inline constexpr bool kTakesResetOptions = requires { typename Env::ResetOptions; };

template <class Env>
inline constexpr bool kCanSave = requires { &Env::Saved; };
template <class Env>
inline constexpr bool kCanRender = requires { &Env::Render; };
template <class Env>
inline constexpr bool kCanRenderText = requires { &Env::RenderText; };
template <class Env>
inline constexpr bool kHasBodies = requires { &Env::GetBodies; };
template <class Env>
constexpr bool IsTurnBased() {
  if constexpr (requires { Env::kTurnBased; }) return Env::kTurnBased;
  return false;
}
template <class Env>
inline constexpr bool kHasRenderFps = requires { &Env::RenderFps; };
template <class Env>
inline constexpr bool kSaysIfDeterministic = requires { &Env::IsDeterministic; };
template <class Env>
inline constexpr bool kHasRemark = requires { &Env::Remark; };
template <class Env>
inline constexpr bool kCountsPlayers = requires { &Env::NumPlayers; };
template <class Env>
inline constexpr bool kStepsChunks = requires { &Env::StepChunk; };
template <class Env>
inline constexpr bool kResetsChunks = requires { &Env::ResetChunk; };
template <class Env>
inline constexpr bool kHasGoals =
    requires(const typename ConfigOf<Env>::type& config, const double* goal) {
      Env::JudgeGoal(config, goal, goal);
    };
template <class Env>
inline constexpr bool kHasChunkSize = requires { &Env::ChunkSize; };

template <class T>
inline constexpr bool kIsTie = false;
template <class... T>
inline constexpr bool kIsTie<std::tuple<T&...>> = (!std::is_const_v<T> && ...);

template <class Env, class Config>
constexpr bool HasGoodRender() {
  constexpr bool draws = !kCanRender<Env> || requires(const Env& env, View<uint8_t> rgb) {
    env.Render(rgb);
    { Env::RenderSize(Config()) } -> std::same_as<ImageSize>;
  };
  static_assert(draws,
                "Render must be `void Render(View<uint8_t>) const`, next to `static ImageSize "
                "RenderSize(const Config&)`");
  constexpr bool sized = !requires { &Env::RenderSize; } || kCanRender<Env>;
  static_assert(sized, "RenderSize needs `void Render(View<uint8_t>) const`");
  constexpr bool writes = !kCanRenderText<Env> || requires(const Env& env) {
    { env.RenderText() } -> std::same_as<std::string>;
  };
  static_assert(writes, "RenderText must be `std::string RenderText() const`");
  constexpr bool tells = !kHasBodies<Env> || requires(const Env& env, BodyReceiver& bodies) {
    { env.GetBodies(true, bodies) } -> std::same_as<void>;
  };
  static_assert(tells, "GetBodies must be `void GetBodies(bool, BodyReceiver&) const`");
  constexpr bool paced = !kHasRenderFps<Env> || requires {
    { &Env::RenderFps } -> std::same_as<int (*)(const Config&)>;
  };
  static_assert(paced, "RenderFps must be `static int RenderFps(const Config&)`");
  constexpr bool turns = !requires { Env::kTurnBased; } ||
                         requires { requires std::same_as<decltype(Env::kTurnBased), const bool>; };
  static_assert(turns, "kTurnBased must be `static constexpr bool kTurnBased`");
  return draws && sized && writes && paced && turns;
}

// Checks the optional members: each is missing or has the form that env.h describes.
template <class Env, class Config>
constexpr bool HasGoodOptions() {
  constexpr bool describe = !requires { Env::Describe(); } || requires {
    { Env::Describe() } -> std::same_as<Options<Config>>;
  };
  static_assert(describe, "Describe() must be `static Options<Config> Describe()`");
  constexpr bool complete = !requires { &Env::Complete; } || requires {
    { &Env::Complete } -> std::same_as<void (*)(Config&)>;
  } || requires {
    { &Env::Complete } -> std::same_as<void (*)(Config&, const Given&)>;
  };
  static_assert(complete,
                "Complete must be `static void Complete(Config&)` or `(Config&, const Given&)`");
  constexpr bool go_on = !requires { &Env::Continue; } || requires(Env& env) {
    { env.Continue() } -> std::same_as<bool>;
  };
  static_assert(go_on, "Continue must be `bool Continue()`");
  constexpr bool seed =
      !requires { &Env::Seed; } || requires(Env& env, uint64_t s) { env.Seed(s); };
  static_assert(seed, "Seed must be `void Seed(uint64_t)`");
  constexpr bool deterministic = !kSaysIfDeterministic<Env> || requires {
    { &Env::IsDeterministic } -> std::same_as<bool (*)(const Config&)>;
  };
  static_assert(deterministic,
                "IsDeterministic must be `static bool IsDeterministic(const Config&)`");
  constexpr bool remark = !kHasRemark<Env> || requires {
    { &Env::Remark } -> std::same_as<std::string (*)(const Config&)>;
  };
  static_assert(remark, "Remark must be `static std::string Remark(const Config&)`");
  constexpr bool saved =
      !requires { &Env::Saved; } || requires(Env& env) { requires kIsTie<decltype(env.Saved())>; };
  static_assert(saved, "Saved must be `auto Saved() { return std::tie(a_, b_); }`, not const");
  constexpr bool players = !requires { &Env::NumPlayers; } || requires(const Env& env) {
    { env.NumPlayers() } -> std::same_as<int>;
  };
  static_assert(players, "NumPlayers must be `int NumPlayers() const`");
  constexpr bool goals = (!kHasGoals<Env> && !requires { &Env::GoalSize; }) || requires {
    { &Env::GoalSize } -> std::same_as<int (*)(const Config&)>;
    { &Env::JudgeGoal } -> std::same_as<Outcome (*)(const Config&, const double*, const double*)>;
  };
  static_assert(goals,
                "an env with goals needs `static int GoalSize(const Config&)` and `static Outcome "
                "JudgeGoal(const Config&, const double* achieved, const double* desired)`");
  return describe && complete && go_on && seed && deterministic && saved && players && goals &&
         HasGoodRender<Env, Config>();
}

template <class Env, class Config>
constexpr bool HasGoodChunks() {
  constexpr bool steps = !kStepsChunks<Env> || requires {
    { &Env::StepChunk } -> std::same_as<void (*)(Chunk<Env>&)>;
  };
  static_assert(steps, "StepChunk must be `static void StepChunk(Chunk<Env>&)`");
  constexpr bool resets = !kResetsChunks<Env> || requires {
    { &Env::ResetChunk } -> std::same_as<void (*)(Chunk<Env>&)>;
  };
  static_assert(resets, "ResetChunk must be `static void ResetChunk(Chunk<Env>&)`");
  constexpr bool sized = !kHasChunkSize<Env> || requires {
    { &Env::ChunkSize } -> std::same_as<int (*)(const Config&)>;
  };
  static_assert(sized, "ChunkSize must be `static int ChunkSize(const Config&)`");
  constexpr bool used = !kHasChunkSize<Env> || kStepsChunks<Env>;
  static_assert(used, "ChunkSize needs `static void StepChunk(Chunk<Env>&)`");
  return steps && resets && sized && used;
}

template <class Env>
constexpr bool HasGoodReset() {
  using Given = typename ResetOptionsOf<Env>::type;
  if constexpr (kTakesResetOptions<Env>) {
    constexpr bool described = requires {
      { Given::Describe() } -> std::same_as<Options<Given>>;
    };
    static_assert(described,
                  "ResetOptions needs `static Options<ResetOptions> Describe()` in itself");
    constexpr bool reset =
        kResetsChunks<Env> || requires(Env& env, const Given& given) { env.Reset(given); };
    static_assert(reset,
                  "an env with ResetOptions needs `void Reset(const ResetOptions&)`, not Reset()");
    return described && reset;
  } else {
    constexpr bool reset = kResetsChunks<Env> || requires(Env& env) { env.Reset(); };
    static_assert(reset, "an env needs `void Reset()`");
    return reset;
  }
}

// Whether S may be a struct of Views. internal::RowViews takes each 16 bytes of it for one.
template <class S>
constexpr bool HoldsViews() {
  return std::is_trivially_copyable_v<S> &&
         (std::is_empty_v<S> || sizeof(S) % sizeof(View<std::byte>) == 0);
}

// Whether Env is an env; if not, a compiler error says why.
template <class Env>
constexpr bool IsEnv() {
  constexpr bool arrays = requires {
    typename Env::Action;
    typename Env::State;
  };
  static_assert(arrays, "an env needs public structs `Action` and `State`");
  if constexpr (arrays) {
    using Config = typename ConfigOf<Env>::type;
    using Action = typename Env::Action;
    using State = typename Env::State;
    constexpr bool describe = requires(const Config& config) {
      { Env::Describe(config) } -> std::same_as<EnvSpec<Action, State>>;
    };
    static_assert(describe, "an env needs `static EnvSpec<Action, State> Describe(const Config&)`");
    constexpr bool views = HoldsViews<Action>() && HoldsViews<State>();
    static_assert(views, "`Action` and `State` hold Views; an env's own data are its members");
    constexpr bool built = std::is_constructible_v<Env, const Config&, Rng&> ||
                           std::is_constructible_v<Env, Rng&> ||
                           std::is_constructible_v<Env, const Config&, Rng&, int>;
    static_assert(built, "an env needs a constructor that takes (const Config&, Rng&)");
    constexpr bool step = kStepsChunks<Env> || requires(Env& env, const Action& action) {
      { env.Step(action) } -> std::same_as<Outcome>;
    };
    static_assert(step, "an env needs `Outcome Step(const Action&)`");
    constexpr bool observe = requires(const Env& env, const State& state) { env.Observe(state); };
    static_assert(observe, "an env needs `void Observe(const State&) const`");
    return HasGoodOptions<Env, Config>() && HasGoodChunks<Env, Config>() && HasGoodReset<Env>() &&
           describe && views && built && step && observe;
  } else {
    return false;
  }
}

}  // namespace internal
}  // namespace parallel_pool
