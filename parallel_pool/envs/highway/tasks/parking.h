// Park a car: parking-v0, parking-ActionRepeat-v0 and parking-parked-v0.
#pragma once

#include "parallel_pool/envs/highway/driving.h"

namespace parallel_pool::highway {

struct ParkingOptions {
  std::vector<double> reward_weights = {1, .3, 0, 0, .02, .02};
  double success_goal_reward = .12, collision_reward = -5;
  double steering_range = kPi / 4;
  double duration = 100;
  int vehicles_count = 0;
  bool add_walls = true;

  static Options<ParkingOptions> Describe();
};

struct ParkingConfig : TaskOptions,
                       PlayerOptions,
                       ObservationOptions,
                       ActionOptions,
                       ParkingOptions {
  ParkingConfig();
};

// The configs of parking-ActionRepeat-v0 and parking-parked-v0.
ParkingConfig RepeatedParking();
ParkingConfig ParkedParking();

class Parking : public PartWriter {
 public:
  using Config = ParkingConfig;

  static constexpr const char* kOwnObservation = "KinematicsGoal";
  static constexpr bool kJudgesEach = true;
  static Options<Config> Describe();
  static std::vector<PlacedLane> Lanes(const Config& config);
  static void Check(const Config& config);
  static TrafficRules Rules(const Config& config);
  static constexpr std::array<RewardTerm<Config>, 0> kTerms = {};
  static int GoalSize(const Config& config);
  static Outcome JudgeGoal(const Config& config, const double* achieved, const double* desired);

  explicit Parking(const Config& config);
  void Begin(Traffic& traffic, Rng& rng);
  TermValues Rate(const Traffic&, const Decision&) const { return {}; }
  double Reward(const Traffic& traffic, const Decision& decision, const TermValues& terms) const;
  bool IsOver(const Traffic& traffic) const;
  bool IsSuccess(const Traffic& traffic, int ego) const {
    return JudgeEgo(traffic, ego).terminated;
  }
  void WritePart(const Traffic& traffic, int ego, int part, Rng& rng, double* out) override;

 private:
  int DrawSpot(Rng& rng);
  void AddWalls(Traffic& traffic) const;
  Outcome JudgeEgo(const Traffic& traffic, int ego) const;

  const Config& config_;
  const std::vector<FeatureColumn> features_;
  std::vector<int> spots_;  // scratch: lanes that are free
};

}  // namespace parallel_pool::highway
