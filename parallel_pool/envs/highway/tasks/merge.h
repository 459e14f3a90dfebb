// Drive past an access ramp and let other cars in: merge-v0 and merge-v1.
#pragma once

#include "parallel_pool/envs/highway/driving.h"

namespace parallel_pool::highway {

struct MergeOptions {
  double collision_reward = -1, right_lane_reward = .1, high_speed_reward = .2;
  Numbers<2> reward_speed_range = {20, 30};
  double merging_speed_reward = -.5, lane_change_reward = -.05;

  static Options<MergeOptions> Describe();
};

struct MergeConfig : TaskOptions, ObservationOptions, ActionOptions, MergeOptions {};

template <class Config>
inline constexpr std::array<RewardTerm<Config>, 5> kMergeTerms = {
    {{"collision_reward", TermType::kFlag, &Config::collision_reward},
     {"right_lane_reward", TermType::kNumber, &Config::right_lane_reward},
     {"high_speed_reward", TermType::kNumber, &Config::high_speed_reward},
     {"lane_change_reward", TermType::kFlag, &Config::lane_change_reward},
     {"merging_speed_reward", TermType::kNumber, &Config::merging_speed_reward}}};

TermValues RateMerging(const MergeOptions& options, const Traffic& traffic,
                       const Decision& decision);
double MergeReward(const MergeOptions& options, double sum);
// The car on the ramp, and the obstacle where the ramp ends.
void AddMergingCar(double along, Traffic& traffic);
void AddEndOfRamp(Traffic& traffic);
// Throws if it cannot be said whether an action changes the lane.
void CheckLaneChanges(const ActionOptions& options);

class Merge {
 public:
  using Config = MergeConfig;

  static Options<Config> Describe();
  static std::vector<PlacedLane> Lanes(const Config& config);
  static void Check(const Config& config) { CheckLaneChanges(config); }
  static TrafficRules Rules(const Config& config) { return RulesOf(config, config); }
  static constexpr auto kTerms = kMergeTerms<Config>;

  explicit Merge(const Config& config) : config_(config) {}
  void Begin(Traffic& traffic, Rng& rng);
  TermValues Rate(const Traffic& traffic, const Decision& decision) const {
    return RateMerging(config_, traffic, decision);
  }
  double Reward(const Traffic&, const Decision&, const TermValues& terms) const {
    return MergeReward(config_, WeightedSum(kTerms, config_, terms));
  }
  bool IsOver(const Traffic& traffic) const {
    constexpr double kEnd = 370;  // m
    return traffic.ego().is_crashed || traffic.ego().position.x > kEnd;
  }

 private:
  const Config& config_;
};

}  // namespace parallel_pool::highway
