// Overtake on a road with oncoming cars: two-way-v0.
#pragma once

#include "parallel_pool/envs/highway/driving.h"

namespace parallel_pool::highway {

struct TwoWayOptions {
  double collision_reward = 0, left_lane_constraint = 1;
  double left_lane_reward = .2, high_speed_reward = .8;

  static Options<TwoWayOptions> Describe();
};

struct TwoWayConfig : TaskOptions, ObservationOptions, ActionOptions, TwoWayOptions {
  TwoWayConfig();
};

class TwoWay {
 public:
  using Config = TwoWayConfig;

  static Options<Config> Describe();
  static std::vector<PlacedLane> Lanes(const Config& config);
  static void Check(const Config& config);
  static TrafficRules Rules(const Config& config) { return RulesOf(config, config); }
  static constexpr std::array<RewardTerm<Config>, 2> kTerms = {
      {{"high_speed_reward", TermType::kNumber, &Config::high_speed_reward},
       {"left_lane_reward", TermType::kNumber, &Config::left_lane_reward}}};

  explicit TwoWay(const Config& config) : config_(config) {}
  void Begin(Traffic& traffic, Rng& rng);
  TermValues Rate(const Traffic& traffic, const Decision& decision) const;
  double Reward(const Traffic&, const Decision&, const TermValues& terms) const {
    return WeightedSum(kTerms, config_, terms);
  }
  bool IsOver(const Traffic& traffic) const { return traffic.ego().is_crashed; }

 private:
  const Config& config_;
};

}  // namespace parallel_pool::highway
