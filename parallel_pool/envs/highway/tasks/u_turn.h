// Turn around on a road with slow cars: u-turn-v0 and u-turn-v1.
#pragma once

#include "parallel_pool/envs/highway/driving.h"

namespace parallel_pool::highway {

struct UTurnOptions {
  double duration = 10;
  double collision_reward = -1, left_lane_reward = .1, high_speed_reward = .4;
  Numbers<2> reward_speed_range = {8, 24};
  bool unit_reward = true, offroad_terminal = false;

  static Options<UTurnOptions> Describe();
};

struct UTurnConfig : TaskOptions, ObservationOptions, ActionOptions, UTurnOptions {
  UTurnConfig();
};

class UTurn {
 public:
  using Config = UTurnConfig;

  static Options<Config> Describe();
  static std::vector<PlacedLane> Lanes(const Config& config);
  static TrafficRules Rules(const Config& config) { return RulesOf(config, config); }
  static constexpr std::array<RewardTerm<Config>, 4> kTerms = {
      {{"collision_reward", TermType::kFlag, &Config::collision_reward},
       {"left_lane_reward", TermType::kNumber, &Config::left_lane_reward},
       {"high_speed_reward", TermType::kNumber, &Config::high_speed_reward},
       {"on_road_reward", TermType::kFlag}}};

  explicit UTurn(const Config& config) : config_(config) {}
  void Begin(Traffic& traffic, Rng& rng);
  TermValues Rate(const Traffic& traffic, const Decision& decision) const;
  double Reward(const Traffic& traffic, const Decision& decision, const TermValues& terms) const;
  bool IsOver(const Traffic& traffic) const { return traffic.ego().is_crashed; }

 private:
  const Config& config_;
};

}  // namespace parallel_pool::highway
