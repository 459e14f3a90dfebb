// Cross a roundabout: roundabout-v0 and roundabout-v1.
#pragma once

#include "parallel_pool/envs/highway/driving.h"

namespace parallel_pool::highway {

struct RoundaboutOptions {
  int incoming_vehicle_destination = -1;
  double collision_reward = -1, high_speed_reward = .2, right_lane_reward = 0;
  double lane_change_reward = -.05;
  double duration = 11;
  bool unit_reward = true;

  static Options<RoundaboutOptions> Describe();
};

struct RoundaboutConfig : TaskOptions, ObservationOptions, ActionOptions, RoundaboutOptions {
  RoundaboutConfig();
};

template <class Config>
inline constexpr std::array<RewardTerm<Config>, 4> kRoundaboutTerms = {
    {{"collision_reward", TermType::kFlag, &Config::collision_reward},
     {"high_speed_reward", TermType::kNumber, &Config::high_speed_reward},
     {"lane_change_reward", TermType::kFlag, &Config::lane_change_reward},
     {"on_road_reward", TermType::kFlag}}};

TermValues RateInRoundabout(const Traffic& traffic, const Decision& decision);
double RoundaboutReward(const RoundaboutOptions& options, double sum, const TermValues& terms);

// The lanes of the ring, from the innermost on.
void AddRing(double radius, int count, std::vector<PlacedLane>* lanes);
// The roads to the ring and away from it are alike on four sides: in the south (s), east (e), north
// (n) and west (w). They are as in the south, where x grows to the right and y to the outside, but
// turned.
inline constexpr char kSides[] = "senw";
Point AtSide(int side, const Point& in_south);
Point InSouth(int side, const Point& at_side);
// The four roads of a side, in the order of cars: a straight one, a curve to the ring, a curve away
// from it and a straight one.
struct Access { Lane entry, entry_curve, exit_curve, exit; };
void AddAccess(int side, const Access& access, std::vector<PlacedLane>* lanes);
// The traits of an entry, a curve and an exit.
LaneTraits EntryTraits();
LaneTraits CurveTraits();
LaneTraits ExitTraits();

class Roundabout {
 public:
  using Config = RoundaboutConfig;

  static Options<Config> Describe();
  static std::vector<PlacedLane> Lanes(const Config& config);
  static void Check(const Config& config);
  static TrafficRules Rules(const Config& config) { return RulesOf(config, config); }
  static constexpr auto kTerms = kRoundaboutTerms<Config>;

  explicit Roundabout(const Config& config) : config_(config) {}
  void Begin(Traffic& traffic, Rng& rng);
  TermValues Rate(const Traffic& traffic, const Decision& decision) const {
    return RateInRoundabout(traffic, decision);
  }
  double Reward(const Traffic&, const Decision&, const TermValues& terms) const {
    return RoundaboutReward(config_, WeightedSum(kTerms, config_, terms), terms);
  }
  bool IsOver(const Traffic& traffic) const { return traffic.ego().is_crashed; }

 private:
  const Config& config_;
};

}  // namespace parallel_pool::highway
