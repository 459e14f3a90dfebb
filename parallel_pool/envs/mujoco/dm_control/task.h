// The common part of all tasks of the DeepMind Control Suite: time, options, and the order of a
// step and of a reset. A domain adds its model, first states, observations and rewards:
//
//   class Domain {
//    public:
//     struct Config { ... };  // differences between its tasks; optional Describe() of options
//     struct State { View<double> position; ... };
//     static constexpr double kTimeLimit;  // in s
//     static constexpr int kSubSteps;      // steps of the model for an action
//     static constexpr unsigned kReads;    // optional: the arrays of mjData that it reads, if all
//                                          // are Reads; else its steps are not made in lanes. It
//                                          // may be unsigned Reads(const Config&) instead
//     static const char* ModelFile(const Config&);
//     static std::vector<ArrayOf<State>> Describe(const Config&, const mjModel&);
//     Domain(const Config&, Physics&);
//     void Begin(Physics&, RandomState&);  // the positions in which an episode begins
//     double Reward(const Physics&) const;
//     bool IsTerminated(const Physics&) const;  // optional: whether the episode ends
//     void DrawModel(RandomState&);  // optional: draws what the model of an env has of its own
//     void Observe(const Physics&, const State&) const;
//   };
//
// Its objects are made for one Physics and may hold addresses in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/core/random_state.h"
#include "parallel_pool/envs/mujoco/dm_control/physics.h"
#include "parallel_pool/envs/mujoco/dm_control/reward_colors.h"
#include "parallel_pool/envs/mujoco/engine/models.h"
#include "parallel_pool/envs/mujoco/engine/rows.h"
#include "parallel_pool/envs/mujoco/rendering/pictured.h"

namespace parallel_pool::mujoco::dm_control {

// The options of all tasks.
struct TaskConfig {
  double time_limit = 0;        // s
  double control_timestep = 0;  // s; 0: frame_skip steps of the model
  int frame_skip = 1;           // the option n_sub_steps
  int max_episode_steps = 0;    // Complete sets it
  bool flat_observation = false, legacy_step = true, visualize_reward = false;
  Model model = nullptr;

  static Options<TaskConfig> Describe();
  // Loads the model, sets frame_skip if control_timestep is given, and max_episode_steps. Throws
  // std::invalid_argument if the options do not fit the model.
  void Complete(const std::string& model_file);
  // Throws std::invalid_argument if control_timestep and frame_skip contradict each other.
  void Check() const;
  // The number of steps after which time_limit truncates an episode.
  double step_limit() const { return time_limit / (model->opt.timestep * frame_skip); }

 private:
  // By control_timestep.
  void SetFrameSkip();
};

inline constexpr char kFullyObservableDoc[] = "also observes the objects and the target";

// The controls and their bounds, as in dm_control's action_spec.
Space ActionSpace(const mjModel& model);

template <class Domain>
class Task {
 public:
  // dm_control's physics.render().
  static constexpr PictureStyle kStyle = {
      .is_models = true, .width = 320, .height = 240, .shows_rangefinders = false};

  using Parts = std::vector<ArrayOf<typename Domain::State>>;
  struct Config : Domain::Config, TaskConfig {
    std::shared_ptr<const Parts> parts;  // with flat_observation, the arrays in it
  };
  struct Action { View<const double> control; };
  struct State : Domain::State { View<double> flat; };

  static Options<Config> Describe() {
    Options<Config> options;
    for (const auto& option : TaskConfig::Describe()) options.push_back(option);
    if constexpr (requires { Domain::Config::Describe(); }) {
      for (const auto& option : Domain::Config::Describe()) options.push_back(option);
    }
    return options;
  }
  static void Complete(Config& config) {
    config.TaskConfig::Complete(Domain::ModelFile(config));
    if (!config.flat_observation) return;
    config.parts = std::make_shared<Parts>(Domain::Describe(config, *config.model));
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    config.Check();
    EnvSpec<Action, State> spec = {
        .action = {Array<&Action::control>("action", ActionSpace(*config.model))}, .state = {}};
    int size = 0;
    for (auto& array : Domain::Describe(config, *config.model)) {
      size += static_cast<int>(array.size);
      array.name = "obs:" + array.name;
      if (!config.flat_observation) spec.state.push_back(array);
    }
    if (config.flat_observation) {
      spec.state.push_back(Array<&State::flat>("obs:observations", AnyNumbers(size)));
    }
    return spec;
  }

  static unsigned ReadsOf(const Config& config) {
    if constexpr (requires { Domain::Reads(config); }) {
      return Domain::Reads(config);
    } else if constexpr (requires { Domain::kReads; }) {
      return Domain::kReads;
    } else {
      return kOnlyLibrary;
    }
  }

  Task(const Config& config, Rng&)
      : sub_steps_(config.frame_skip),
        step_limit_(config.step_limit()),
        parts_(config.parts),
        physics_(config.model, config.legacy_step, ReadsOf(config)),
        domain_(config, physics_) {
    if (config.visualize_reward) colors_.emplace(physics_);
  }

  // After it, the env is as a new one: also its model, which episodes change.
  void Seed(uint64_t seed) {
    random_ = RandomState(seed);
    physics_.RestoreModel();
    if constexpr (requires { domain_.DrawModel(random_); }) domain_.DrawModel(random_);
  }

  void Reset() {
    steps_ = 0;
    physics_.Reset();
    domain_.Begin(physics_, random_);
    if (colors_) colors_->Show(domain_.Reward(physics_));
    physics_.Forward();
  }

  Simulation& Act(const Action& action) {
    std::copy(action.control.begin(), action.control.end(), physics_.data().ctrl);
    return physics_.Hold(sub_steps_);
  }
  Outcome Judge(const Action&) {
    ++steps_;
    Outcome outcome = {.reward = domain_.Reward(physics_), .truncated = steps_ >= step_limit_};
    if (colors_) colors_->Show(outcome.reward);
    if constexpr (requires { domain_.IsTerminated(physics_); }) {
      // At the time limit, dm_control does not ask.
      outcome.terminated = !outcome.truncated && domain_.IsTerminated(physics_);
    }
    return outcome;
  }

  const Simulation& simulation() const { return physics_.simulation(); }
  auto Saved() { return std::tie(physics_, random_, steps_); }

  void Observe(const State& state) const {
    if (parts_ == nullptr) return domain_.Observe(physics_, state);
    typename Domain::State parts = state;
    auto* next = reinterpret_cast<std::byte*>(state.flat.begin());
    for (const auto& part : *parts_) {
      part.Bind(&parts, next);
      next += part.row_bytes;
    }
    domain_.Observe(physics_, parts);
  }

 private:
  const int sub_steps_;
  const double step_limit_;
  const std::shared_ptr<const Parts> parts_;  // nullptr: the arrays are apart
  Physics physics_;
  Domain domain_;
  std::optional<RewardColors> colors_;  // with visualize_reward
  RandomState random_;
  int64_t steps_ = 0;  // steps of this episode
};

// Registers a task of a domain. `config` is its difference from the domain's other tasks.
template <class Domain>
void Add(Registry& registry, std::string id, typename Domain::Config config = {}) {
  typename Pictured<Task<Domain>>::Config defaults;
  static_cast<typename Domain::Config&>(defaults) = std::move(config);
  defaults.time_limit = Domain::kTimeLimit;
  defaults.frame_skip = Domain::kSubSteps;
  registry.Add<Pictured<Task<Domain>>>(std::move(id), {}, std::move(defaults));
}

}  // namespace parallel_pool::mujoco::dm_control
