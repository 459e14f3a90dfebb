// Bring the thumb and a finger together: Gymnasium-Robotics 1.4.2's HandReach-v3. A goal is the
// places of five fingertips.
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/envs/mujoco/robotics/rotations.h"
#include "parallel_pool/envs/mujoco/robotics/shadow_hand.h"

namespace parallel_pool::mujoco::robotics {

class HandReach {
 public:
  static constexpr PictureStyle kStyle = ShadowHand::kStyle;
  static constexpr int kTips = 5, kGoal = 3 * kTips;

  // All envs share it.
  struct Scene {
    std::vector<double> qpos;
    int tips[kTips];                       // sites; the thumb is the last
    double first_goal[kGoal], meeting[3];  // where the tips are first, and near which they meet, m
  };
  struct Config {
    static constexpr int frame_skip = ShadowHand::kFrameSkip;
    std::string reward_type = kRewardTypes[0];
    double distance_threshold = .01;                      // m
    NumbersByKey<std::string, 1> initial_qpos = First();  // rad, by joint
    Model model = nullptr;
    std::shared_ptr<const Scene> scene = nullptr;
  };
  struct Action { View<const AnyFloat> control; };
  struct State : GoalState { View<float> is_success; };

  static Options<Config> Describe() {
    return {Option<&Config::reward_type>("reward_type", kRewardTypeDoc, OneOf(kRewardTypes)),
            Option<&Config::distance_threshold>("distance_threshold",
                                                "distance of a goal that is reached, in m"),
            Option<&Config::initial_qpos>("initial_qpos",
                                          "angles of joints when an episode begins, in rad")};
  }
  static void Complete(Config& config) {
    config.model = LoadOwnModel("robotics", "hand/reach.xml", mjDSBL_ISLAND | mjDSBL_SENSOR);
    config.scene = MakeScene(config);
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    auto state = GoalArrays<State>(2 * ShadowHand::kJoints + kGoal, kGoal);
    state.push_back(Array<&State::is_success>("info:is_success", Box({}, {0}, {1})));
    return {.action = {Array<&Action::control>("action", ShadowHand::Actions(*config.model))},
            .state = std::move(state)};
  }
  static unsigned ReadsOf(const Config&) { return kSites; }

  static int GoalSize(const Config&) { return kGoal; }
  static Outcome JudgeGoal(const Config& config, const double* achieved, const double* desired) {
    const double distance = Distance(achieved, desired, kGoal);
    const double missed = distance > config.distance_threshold;
    return {.reward = IsDense(config.reward_type) ? -distance : -missed};
  }

  HandReach(const Config& config, Rng& rng)
      : config_(config),
        hand_(config.model, ReadsOf(config)),
        rng_(rng),
        at_rest_(config.model->nv) {}

  void Reset() {
    const Scene& scene = *config_.scene;
    hand_.Begin(scene.qpos.data(), at_rest_.data());
    const int finger = static_cast<int>(rng_.Integers(0, kTips - 1));
    double meeting[3];
    for (int k = 0; k < 3; ++k) meeting[k] = scene.meeting[k] + .005 * Normal(rng_);
    std::copy_n(scene.first_goal, kGoal, goal_);
    for (const int tip : {kTips - 1, finger}) {
      double* const place = goal_ + 3 * tip;
      double way[3];
      for (int k = 0; k < 3; ++k) way[k] = meeting[k] - place[k];
      const double length = Norm(way, 3);
      for (int k = 0; k < 3; ++k) place[k] = meeting[k] - .005 * (way[k] / length);
    }
    if (rng_.Random() < .1) std::copy_n(scene.first_goal, kGoal, goal_);
    FindTips();
  }

  Simulation& Act(const Action& action) { return hand_.Act(action.control); }
  Outcome Judge(const Action&) {
    FindTips();
    return JudgeGoal(config_, tips_, goal_);
  }

  const Simulation& simulation() const { return hand_; }
  auto Saved() { return std::tie(hand_, goal_, tips_); }
  void Observe(const State& state) const {
    Row row(state.observation);
    hand_.Observe(row);
    row.Add(tips_, kGoal);
    std::copy_n(tips_, kGoal, state.achieved_goal.begin());
    std::copy_n(goal_, kGoal, state.desired_goal.begin());
    *state.is_success = Distance(tips_, goal_, kGoal) < config_.distance_threshold;
  }
  // Shows where the fingertips are (finger0 to 4) and where they shall be (target0 to 4).
  void Mark(mjData& drawn) const {
    const mjModel& model = hand_.model();
    mj_forward(&model, &drawn);
    for (int tip = 0; tip < kTips; ++tip) {
      const auto put = [&](const char* name, const double* place) {
        const int site = mj_name2id(&model, mjOBJ_SITE, (name + std::to_string(tip)).c_str());
        std::copy_n(place, 3, drawn.site_xpos + 3 * site);
      };
      put("target", goal_ + 3 * tip);
      put("finger", tips_ + 3 * tip);
    }
  }

 private:
  static NumbersByKey<std::string, 1> First();
  static std::shared_ptr<const Scene> MakeScene(const Config& config);
  void FindTips() {
    for (int tip = 0; tip < kTips; ++tip) {
      std::copy_n(hand_.data().site_xpos + 3 * config_.scene->tips[tip], 3, tips_ + 3 * tip);
    }
  }

  const Config config_;
  ShadowHand hand_;
  Rng& rng_;
  const std::vector<double> at_rest_;  // speeds
  double goal_[kGoal] = {}, tips_[kGoal] = {};
};

}  // namespace parallel_pool::mujoco::robotics
