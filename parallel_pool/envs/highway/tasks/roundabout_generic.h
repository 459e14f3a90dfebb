// The same with any radius, lanes and cars: roundabout-generic-v0 and -v1.
#pragma once

#include "parallel_pool/envs/highway/tasks/roundabout.h"

namespace parallel_pool::highway {

struct RoundaboutGenericOptions {
  double roundabout_radius = 20;  // m
  int roundabout_lanes = 2, vehicles_count = 5;

  static Options<RoundaboutGenericOptions> Describe();
};

struct RoundaboutGenericConfig : RoundaboutConfig, RoundaboutGenericOptions {
  RoundaboutGenericConfig() { duration = 17; }
};

class RoundaboutGeneric {
 public:
  using Config = RoundaboutGenericConfig;

  static Options<Config> Describe();
  static std::vector<PlacedLane> Lanes(const Config& config);
  static void Check(const Config& config);
  static TrafficRules Rules(const Config& config);
  static constexpr auto kTerms = kRoundaboutTerms<Config>;

  explicit RoundaboutGeneric(const Config& config);
  void Begin(Traffic& traffic, Rng& rng);
  TermValues Rate(const Traffic& traffic, const Decision& decision) const {
    return RateInRoundabout(traffic, decision);
  }
  double Reward(const Traffic&, const Decision&, const TermValues& terms) const {
    return RoundaboutReward(config_, WeightedSum(kTerms, config_, terms), terms);
  }
  bool IsOver(const Traffic& traffic) const { return traffic.ego().is_crashed; }

 private:
  void AddDriver(Traffic& traffic, Rng& rng);

  const Config& config_;
  std::vector<Point> taken_;  // scratch: where cars begin
};

}  // namespace parallel_pool::highway
