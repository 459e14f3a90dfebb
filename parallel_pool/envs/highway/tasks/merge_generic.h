// The same with any number of lanes and cars, and of any length: merge-generic-v0 and -v1.
#pragma once

#include "parallel_pool/envs/highway/tasks/merge.h"

namespace parallel_pool::highway {

struct MergeGenericOptions {
  int lanes_count = 2, vehicles_count = 3;
  double before_merge_length = 150, converge_merge_length = 80;  // m
  double parallel_merge_length = 80, after_merge_length = 150;   // m

  static Options<MergeGenericOptions> Describe();
};

struct MergeGenericConfig : TaskOptions,
                            ObservationOptions,
                            ActionOptions,
                            MergeOptions,
                            MergeGenericOptions {};

class MergeGeneric {
 public:
  using Config = MergeGenericConfig;

  static Options<Config> Describe();
  static std::vector<PlacedLane> Lanes(const Config& config);
  static void Check(const Config& config) { CheckLaneChanges(config); }
  static TrafficRules Rules(const Config& config) {
    return RulesOf(config, config, 2 + config.MergeGenericOptions::vehicles_count);
  }
  static constexpr auto kTerms = kMergeTerms<Config>;

  explicit MergeGeneric(const Config& config);
  void Begin(Traffic& traffic, Rng& rng);
  TermValues Rate(const Traffic& traffic, const Decision& decision) const {
    return RateMerging(config_, traffic, decision);
  }
  double Reward(const Traffic&, const Decision&, const TermValues& terms) const {
    return MergeReward(config_, WeightedSum(kTerms, config_, terms));
  }
  bool IsOver(const Traffic& traffic) const;

 private:
  void AddDriver(Traffic& traffic, Rng& rng);

  const Config& config_;
  struct Place {
    int64_t lane;
    double along;
  };
  std::vector<Place> taken_;  // scratch
};

}  // namespace parallel_pool::highway
