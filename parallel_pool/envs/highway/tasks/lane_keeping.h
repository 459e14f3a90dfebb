// Stay on a winding lane with tires that slip: lane-keeping-v0.
#pragma once

#include "parallel_pool/envs/highway/driving.h"

namespace parallel_pool::highway {

struct LaneKeepingOptions {
  double state_noise = .05, derivative_noise = .05;

  static Options<LaneKeepingOptions> Describe();
};

struct LaneKeepingConfig : TaskOptions, ObservationOptions, ActionOptions, LaneKeepingOptions {
  LaneKeepingConfig();
};

class LaneKeeping : public PartWriter {
 public:
  using Config = LaneKeepingConfig;

  static constexpr const char* kOwnObservation = "AttributesObservation";
  static Options<Config> Describe();
  static std::vector<PlacedLane> Lanes(const Config& config);
  static void Check(const Config& config);
  static TrafficRules Rules(const Config& config) { return RulesOf(config, config); }
  static constexpr std::array<RewardTerm<Config>, 0> kTerms = {};

  explicit LaneKeeping(const Config& config);
  void Begin(Traffic& traffic, Rng& rng);
  // Off the first lane, the second one is the ego's.
  void BeforeAction(const Traffic& traffic);
  TermValues Rate(const Traffic&, const Decision&) const { return {}; }
  double Reward(const Traffic& traffic, const Decision& decision, const TermValues& terms) const;
  bool IsOver(const Traffic&) const { return false; }
  void WritePart(const Traffic& traffic, int ego, int part, Rng& rng, double* out) override;
  auto Saved() { return std::tie(lane_); }

 private:
  enum class Attribute { kState, kDerivative, kReferenceState };

  static std::vector<Attribute> AttributesOf(const ObservationOptions& options);

  const Config& config_;
  const std::vector<Attribute> attributes_;  // that are observed
  const int first_lane_, second_lane_;
  int lane_;
};

}  // namespace parallel_pool::highway
