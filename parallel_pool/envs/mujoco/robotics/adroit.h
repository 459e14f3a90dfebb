// A hand with 24 joints that opens a door, drives a nail, turns a pen or moves a ball:
// Gymnasium-Robotics 1.4.2's Adroit-v1 (Rajeswaran et al. 2018). A task is
//
//   struct Task {
//     static constexpr const char *kName, *kModel;
//     static constexpr int kNumbers;   // of an observation
//     static constexpr bool kSenses;   // reads sensors, and orientations of bodies
//     explicit Task(OwnWorld&);        // finds elements of the model, and takes what it draws
//     void Draw(Rng&);                 // draws the model's numbers of an episode
//     void Begin(const mjData&);       // optional, when the episode's first state is computed
//     std::vector<OwnNumbers> Own() const;  // the numbers of the model that episodes change
//     Judged Judge(const mjData&) const;
//     void Observe(const mjData&, Row&) const;
//   };
//
// Positions of bodies and sites are those of the last sub-step's beginning, as there.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mujoco/engine/models.h"
#include "parallel_pool/envs/mujoco/engine/own_world.h"
#include "parallel_pool/envs/mujoco/engine/rows.h"
#include "parallel_pool/envs/mujoco/rendering/camera.h"
#include "parallel_pool/envs/mujoco/robotics/goals.h"

namespace parallel_pool::mujoco::robotics {

// Numbers of the model that a state has, next to positions and speeds.
struct OwnNumbers {
  const char* name;
  int size;
  double* place;       // in the model
  const double* seen;  // those that an observed state has
};

// The result of a step.
struct Judged {
  double dense_reward;
  bool success;
};

// Loads models/robotics/adroit_hand/FILE, with the gains of the hand.
Model LoadAdroit(const char* file, bool senses);

template <class Task>
class Adroit {
 public:
  static constexpr PictureStyle kStyle = Task::kStyle;

  struct Config {
    static constexpr int frame_skip = 5;
    std::string reward_type = "dense";
    bool env_state = false;
    Model model = nullptr;
  };
  struct ResetOptions {
    Arrays initial_state_dict;

    static Options<ResetOptions> Describe() {
      return {Option<&ResetOptions::initial_state_dict>(
          "initial_state_dict", "the state to begin in, such as info['env_state']; {}: drawn")};
    }
  };
  struct Action { View<const AnyFloat> control; };  // from -1 to 1, of the range of each control
  struct State {
    View<double> obs;
    View<bool> success;
    View<double> qpos, qvel, own, more_own;  // with env_state
  };

  static Options<Config> Describe() {
    return {Option<&Config::reward_type>("reward_type", kRewardTypeDoc, OneOf(kRewardTypes)),
            Option<&Config::env_state>("env_state",
                                       "info['env_state'] has the state, for initial_state_dict")};
  }
  static void Complete(Config& config) { config.model = LoadAdroit(Task::kModel, Task::kSenses); }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const int controls = static_cast<int>(config.model->nu);
    EnvSpec<Action, State> spec = {
        .action = {Array<&Action::control>("action", Box({controls}, {-1}, {1}))},
        .state = {Array<&State::obs>("obs", AnyNumbers(Task::kNumbers)),
                  Array<&State::success>("info:success", Box({}, {0}, {1}))}};
    if (!config.env_state) return spec;
    Append(spec.state, {Array<&State::qpos>("info:env_state.qpos", AnyNumbers(config.model->nq)),
                        Array<&State::qvel>("info:env_state.qvel", AnyNumbers(config.model->nv))});
    OwnWorld hand(config.model, ReadsOf(config));
    const std::vector<OwnNumbers> own = Task(hand).Own();
    const std::string prefix = "info:env_state.";
    spec.state.push_back(Array<&State::own>(prefix + own[0].name, AnyNumbers(own[0].size)));
    if (own.size() == 1) return spec;
    spec.state.push_back(Array<&State::more_own>(prefix + own[1].name, AnyNumbers(own[1].size)));
    return spec;
  }
  static unsigned ReadsOf(const Config&) {
    return kPlaces | kSites | (Task::kSenses ? kQuaternions | kForceSensors : kNothing);
  }

  Adroit(const Config& config, Rng& rng)
      : is_dense_(IsDense(config.reward_type)),
        has_state_(config.env_state),
        rng_(rng),
        hand_(config.model, ReadsOf(config)),
        task_(hand_),
        own_(task_.Own()),
        at_rest_(config.model->nv) {}

  void Reset(const ResetOptions& options) {
    task_.Draw(rng_);
    hand_.simulation().Begin(hand_.model().qpos0, at_rest_.data());
    if constexpr (requires { task_.Begin(hand_.simulation().data()); }) {
      task_.Begin(hand_.simulation().data());
    }
    success_ = false;
    if (options.initial_state_dict.all().size > 0) Begin(options.initial_state_dict.all());
  }

  Simulation& Act(const Action& action) {
    Simulation& world = hand_.simulation();
    for (size_t i = 0; i < action.control.size; ++i) {
      const mjtNum* const range = hand_.model().actuator_ctrlrange + 2 * i;
      const double middle = (range[0] + range[1]) / 2, half = .5 * (range[1] - range[0]);
      world.data().ctrl[i] = middle + std::clamp(action.control[i], -1.0, 1.0) * half;
    }
    world.Hold(Config::frame_skip);
    return world;
  }
  Outcome Judge(const Action&) {
    const Judged judged = task_.Judge(hand_.simulation().data());
    success_ = judged.success;
    return {.reward = is_dense_ ? judged.dense_reward : judged.success ? 10 : -.1};
  }

  const Simulation& simulation() const { return hand_.simulation(); }
  auto Saved() { return std::tie(hand_, task_.lengths, success_); }
  void Observe(const State& state) const {
    Row row(state.obs);
    task_.Observe(hand_.simulation().data(), row);
    *state.success = success_;
    if (!has_state_) return;
    const mjData& data = hand_.simulation().data();
    std::copy_n(data.qpos, hand_.model().nq, state.qpos.begin());
    std::copy_n(data.qvel, hand_.model().nv, state.qvel.begin());
    std::copy_n(own_[0].seen, own_[0].size, state.own.begin());
    if (own_.size() > 1) std::copy_n(own_[1].seen, own_[1].size, state.more_own.begin());
  }

 private:
  // Begins in a given state.
  void Begin(Span<OptionArray> given) {
    mjData& data = hand_.simulation().data();
    const auto take = [&](const char* name, double* to, int size) {
      const auto* const found = std::ranges::find_if(
          given, [&](const OptionArray& array) { return std::strcmp(array.name, name) == 0; });
      if (found == given.end() || found->numbers.size != size) {
        throw std::invalid_argument("initial_state_dict needs '" + std::string(name) + "', " +
                                    std::to_string(size) + " numbers");
      }
      std::ranges::copy(found->numbers, to);
    };
    for (const OwnNumbers& own : own_) take(own.name, own.place, own.size);
    take("qpos", data.qpos, static_cast<int>(hand_.model().nq));
    take("qvel", data.qvel, static_cast<int>(hand_.model().nv));
    hand_.simulation().Forward();
  }

  const bool is_dense_, has_state_;
  Rng& rng_;
  OwnWorld hand_;
  Task task_;
  const std::vector<OwnNumbers> own_;
  const std::vector<double> at_rest_;  // speeds
  bool success_ = false;
};

}  // namespace parallel_pool::mujoco::robotics
