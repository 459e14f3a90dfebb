// The header that an env author includes. An env is a plain class:
//
//   struct MyEnv {
//     struct Config { int size = 3; };                // the options of make(); may be missing
//     struct Action { View<const int32_t> move; };
//     struct State  { View<float> obs; };
//     static Options<Config> Describe();              // the names of Config's members, if any
//     static EnvSpec<Action, State> Describe(const Config&);
//     MyEnv(const Config&, Rng&);     // the Rng lives as long as the env; a third parameter,
//                                     // `int env`, is the env's number in the pool
//     void Reset();                   // begins an episode in a new world
//     Outcome Step(const Action&);
//     void Observe(const State&) const;  // writes every element of its row
//   };
//
// Reset, Step and Observe allocate nothing, lock nothing and log nothing. recv() reports their
// exceptions, and the env is reset. The engine adds the time limit of make(); an env with a limit
// of its own sets Outcome::truncated.
//
// It may have more members:
//
//   options
//     static void Complete(Config&)       sets options that follow from others, and loads what all
//                                         envs share (load_once.h). Runs once per Setup. Options
//                                         given by the user keep their values. A second parameter,
//                                         `const Given& given`, says which these are:
//                                         given("size")
//     struct ResetOptions {               options of reset(options=), with
//       static Options<...> Describe();   their names, and
//       void Check() const; }             optional: throws if they do not go together
//     void Reset(const ResetOptions&)     in place of Reset(). They hold for one reset, as in
//                                         Gymnasium's vector envs
//   episodes and states
//     bool Continue()                     after a termination, begins the next episode in the same
//                                         world (a life was lost); false: a Reset is due
//     auto Saved()                        std::tie of the members that make up its state (save.h)
//     void Seed(uint64_t)                 restarts random numbers that are not the Rng's
//     static bool IsDeterministic(const Config&)   whether the seed changes nothing, as check()
//                                         then tests; the default is false
//   pictures and people
//     static ImageSize RenderSize(const Config&)   with
//     void Render(View<uint8_t> rgb) const         this: draws the env, row by row, 3 bytes a pixel
//     std::string RenderText() const      the same as text (mode "ansi")
//     void GetBodies(bool with_shapes, BodyReceiver&) const   where the bodies of its world are
//     now,
//                                         for viewers of three dimensions (bodies.h)
//     static int RenderFps(const Config&) steps per second at which people watch it; default 30
//     static constexpr bool kTurnBased = true      nothing moves until the player acts:
//                                         `python -m parallel_pool play` waits for a key
//     static std::string Remark(const Config&)     how it runs, for `info TASK`
//   players and goals
//     int NumPlayers() const              where arrays are PerPlayer(n, ...): the players now;
//                                         Observe writes their rows. Default: n
//     static int GoalSize(const Config&)  with
//     static Outcome JudgeGoal(const Config&, const double* achieved, const double* desired)
//                                         the outcome of a step follows from the goal that was
//                                         achieved and the one that was wanted: compute_reward()
//   many envs at once (chunk.h)
//     static void StepChunk(Chunk<MyEnv>&)         in place of Step
//     static void ResetChunk(Chunk<MyEnv>&)        in place of Reset
//     static int ChunkSize(const Config&) the envs that StepChunk should get, as long as no thread
//                                         goes idle for it
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/chunk.h"
#include "parallel_pool/core/env_checks.h"
#include "parallel_pool/core/env_group.h"
#include "parallel_pool/core/env_setup.h"
#include "parallel_pool/core/host.h"
#include "parallel_pool/core/load_once.h"
#include "parallel_pool/core/options.h"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/random.h"
#include "parallel_pool/core/save.h"
#include "parallel_pool/core/spec.h"

namespace parallel_pool {

// Properties of a task that are no options of its Config; see TaskSpec.
struct TaskDefaults {
  int max_episode_steps = std::numeric_limits<int32_t>::max();
  double reward_threshold = std::numeric_limits<double>::quiet_NaN();
  std::string twin_of = "";  // its own id: none
  std::string suite = "";    // empty: that of Registry::BeginSuite
};

namespace internal {

// Appends the specs of `options` to `specs` and returns a view of them. They borrow the texts of
// `options`.
template <class Config>
Span<OptionSpec> Specify(const Options<Config>& options, const Config& defaults,
                         std::vector<OptionSpec>& specs) {
  for (const auto& o : options) {
    specs.push_back(
        {o.name.c_str(), o.doc.c_str(), o.get(defaults), o.range.min, o.range.max, o.choices});
  }
  return Span<OptionSpec>::Of(specs);
}

template <class Env>
class TypedTask final : public Task {
 public:
  using Config = typename ConfigOf<Env>::type;

  TypedTask(std::string id, TaskDefaults given, Config defaults)
      : id_(std::move(id)), given_(std::move(given)), defaults_(std::move(defaults)) {
    spec_ = {.id = id_.c_str(),
             .suite = given_.suite.c_str(),
             .twin_of = given_.twin_of.c_str(),
             .max_episode_steps = given_.max_episode_steps,
             .reward_threshold = given_.reward_threshold,
             .can_save = kCanSave<Env>,
             .can_render = kCanRender<Env>,
             .can_render_text = kCanRenderText<Env>,
             .turn_based = IsTurnBased<Env>()};
  }

  const TaskSpec& spec() const override { return spec_; }

  bool GetOptions(OptionSpecs* specs, Error* error) const noexcept override {
    return Guard(error, [&] { *specs = Describe().specs; });
  }

  Setup* Configure(Span<OptionValue> values, const Setup* like,
                   Error* error) const noexcept override {
    Setup* setup = nullptr;
    Guard(error, [&] {
      const Described& described = Describe();
      const auto loads = like != nullptr ? static_cast<const TypedSetup<Env>*>(like)->loads
                                         : std::make_shared<Loads>();
      const UseLoads use(*loads);
      Config config = defaults_;
      SetGiven(described.options, values, config);
      constexpr bool takes_given = requires(const Given& given) { Env::Complete(config, given); };
      if constexpr (takes_given) Env::Complete(config, Given(described.options, values));
      if constexpr (requires { Env::Complete(config); }) Env::Complete(config);
      SetGiven(described.options, values, config);
      setup = new TypedSetup<Env>(spec_, described.options, described.specs.reset_options,
                                  std::move(config), loads);
    });
    return setup;
  }

 private:
  using ResetOptions = typename ResetOptionsOf<Env>::type;

  struct Described {
    Options<Config> options;
    Options<ResetOptions> reset_options;
    ResetOptions first_reset = {};
    std::vector<OptionSpec> option_specs, reset_option_specs;
    OptionSpecs specs;
  };

  const Described& Describe() const {
    const std::lock_guard lock(mutex_);
    if (described_ != nullptr) return *described_;
    auto d = std::make_unique<Described>();
    if constexpr (requires { Env::Describe(); }) d->options = Env::Describe();
    if constexpr (kTakesResetOptions<Env>) d->reset_options = ResetOptions::Describe();
    d->specs = {.options = Specify(d->options, defaults_, d->option_specs),
                .reset_options = Specify(d->reset_options, d->first_reset, d->reset_option_specs)};
    described_ = std::move(d);
    return *described_;
  }

  const std::string id_;
  const TaskDefaults given_;
  const Config defaults_;
  TaskSpec spec_;
  mutable std::mutex mutex_;  // of described_
  mutable std::unique_ptr<const Described> described_;
};

}  // namespace internal

// The tasks of a family.
class Registry {
 public:
  // The tasks that follow are of this suite.
  void BeginSuite(std::string name) { suite_ = std::move(name); }

  // Registers Env as `id`. `defaults` are the options' default values.
  template <class Env>
  void Add(std::string id, TaskDefaults options,
           typename internal::ConfigOf<Env>::type defaults = {}) {
    if constexpr (internal::IsEnv<Env>()) {
      if (options.suite.empty()) options.suite = suite_;
      if (options.twin_of == id) options.twin_of.clear();
      owned_.push_back(std::make_unique<internal::TypedTask<Env>>(std::move(id), std::move(options),
                                                                  std::move(defaults)));
      tasks_.push_back(owned_.back().get());
    }
  }

  Span<const Task*> tasks() const { return Span<const Task*>::Of(tasks_); }

 private:
  std::string suite_;
  std::vector<std::unique_ptr<Task>> owned_;
  std::vector<const Task*> tasks_;
};

}  // namespace parallel_pool

// Declares a family; once per shared library:
//   PARALLEL_POOL_FAMILY(registry) { registry.Add<CartPole>("CartPole-v1", {...}); }
#define PARALLEL_POOL_FAMILY(registry)                                             \
  static void ParallelPoolRegister(::parallel_pool::Registry& registry);           \
  extern "C" __attribute__((visibility("default"))) const ::parallel_pool::Family* \
  parallel_pool_family() {                                                         \
    static ::parallel_pool::Registry all;                                          \
    static const ::parallel_pool::Family family = [] {                             \
      ParallelPoolRegister(all);                                                   \
      return ::parallel_pool::Family{::parallel_pool::kAbiVersion, all.tasks(),    \
                                     &::parallel_pool::internal::SetHost};         \
    }();                                                                           \
    return &family;                                                                \
  }                                                                                \
  static void ParallelPoolRegister(::parallel_pool::Registry& registry)
