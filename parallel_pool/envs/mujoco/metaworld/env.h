// MetaWorld 3.1.1's tasks for one robot arm (McLean et al. 2025), with the rewards of version 2.
#pragma once

#include <array>
#include <memory>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mujoco/metaworld/goals.h"
#include "parallel_pool/envs/mujoco/metaworld/task.h"
#include "parallel_pool/envs/mujoco/rendering/camera.h"

namespace parallel_pool::mujoco::metaworld {

class MetaWorld {
 public:
  static constexpr PictureStyle kStyle = {};
  static constexpr int kNumbers = 39;  // of an observation

  struct Config {
    static constexpr int frame_skip = 5;
    const TaskKind* task = nullptr;
    Model model = nullptr;
  };
  // The way of the hand, and the fingers: above 0 they close.
  struct Action { View<const float> move; };
  struct State {
    View<double> obs;
    View<double> success, near_object, grasp_success, grasp_reward, in_place_reward;
    View<double> obj_to_target, unscaled_reward;
  };

  static Options<Config> Describe() { return {}; }
  static void Complete(Config& config) {
    config.model = Sawyer::LoadModel(config.task->info.model);
  }
  static EnvSpec<Action, State> Describe(const Config& config);
  static unsigned ReadsOf(const Config&) { return kOthers; }

  MetaWorld(const Config& config, Rng& rng);
  MetaWorld(const MetaWorld&) = delete;  // its task refers to its robot

  // Draws the goals of the benchmark MT1 with this seed.
  void Seed(uint64_t seed) {
    RandomState random(seed);
    goals_ = DrawGoals(sawyer_.task(), random);
  }
  void Reset();
  Simulation& Act(const Action& action) {
    sawyer_.Move(action.move.begin());
    return sawyer_.world().world();
  }
  Outcome Judge(const Action& action);

  const Simulation& simulation() const { return sawyer_.world().world(); }
  auto Saved() { return std::tie(sawyer_.world(), sawyer_.episode(), goals_, obs_, judged_); }
  void Observe(const State& state) const;

 private:
  // Fills `obs_`, and keeps what is seen for the next one.
  void See(bool is_first);

  // The bounds of an observation.
  struct Bounds { std::vector<double> low, high; };
  static Bounds BoundsOf(const TaskInfo& task);

  const Bounds bounds_;
  Sawyer sawyer_;
  std::unique_ptr<Task> task_;
  Rng& rng_;
  Goals goals_ = {};
  std::array<double, kNumbers> obs_ = {};
  Judged judged_;
};

}  // namespace parallel_pool::mujoco::metaworld
