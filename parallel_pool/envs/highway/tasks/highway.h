// Drive on a straight road with other cars: highway-v0 and highway-fast-v0.
#pragma once

#include "parallel_pool/envs/highway/driving.h"

namespace parallel_pool::highway {

// Options of highway and exit.
struct HighwayOptions {
  int lanes_count = 4, vehicles_count = 50;
  int initial_lane_id = -1;
  double duration = 40;
  double ego_spacing = 2, vehicles_density = 1;
  double collision_reward = -1, right_lane_reward = .1, high_speed_reward = .4;
  double lane_change_reward = 0;
  Numbers<2> reward_speed_range = {20, 30};
  bool unit_reward = true, offroad_terminal = false;

  static Options<HighwayOptions> Describe();
};

struct HighwayConfig : TaskOptions,
                       PlayerOptions,
                       ObservationOptions,
                       ActionOptions,
                       HighwayOptions {
  bool checks_all_collisions = true;  // else only the egos': highway-fast
};

// The config of highway-fast-v0.
HighwayConfig FastHighway();

class Highway {
 public:
  using Config = HighwayConfig;

  static Options<Config> Describe();
  static std::vector<PlacedLane> Lanes(const Config& config);
  static void Check(const Config& config);
  static TrafficRules Rules(const Config& config);
  static constexpr std::array<RewardTerm<Config>, 4> kTerms = {
      {{"collision_reward", TermType::kNumber, &Config::collision_reward},
       {"right_lane_reward", TermType::kNumber, &Config::right_lane_reward},
       {"high_speed_reward", TermType::kNumber, &Config::high_speed_reward},
       {"on_road_reward", TermType::kNumber}}};

  explicit Highway(const Config& config) : config_(config) {}
  void Begin(Traffic& traffic, Rng& rng);
  TermValues Rate(const Traffic& traffic, const Decision& decision) const;
  double Reward(const Traffic& traffic, const Decision& decision, const TermValues& terms) const;
  bool IsOver(const Traffic& traffic) const;

 private:
  const Config& config_;
};

// Parallel straight lanes from `from` to `to`, 4 m apart, each as long as the others (m).
void AddStraightLanes(int count, double start, double length, const char* from, const char* to,
                      std::vector<PlacedLane>* lanes);

// A car in front of all others, by a random distance that grows with its speed.
struct RandomPlace {
  int lane;
  double speed;    // m/s
  double spacing;  // 1: the usual distance
};
Car MakeRandomCar(const Traffic& traffic, CarKind kind, const RandomPlace& place, Rng& rng);

// The lane that a car follows, or is in.
int ChosenLane(const Car& car);

}  // namespace parallel_pool::highway
