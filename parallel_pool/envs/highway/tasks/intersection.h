// Cross an intersection: intersection-v0, -v1 and -v2, and intersection-multi-agent-v0, -v1 and
// -v2.
#pragma once

#include "parallel_pool/envs/highway/driving.h"
#include "parallel_pool/envs/highway/regulation.h"

namespace parallel_pool::highway {

struct IntersectionOptions {
  double duration = 13;
  std::string destination = "o1";
  int initial_vehicle_count = 10;
  double spawn_probability = .6;
  double collision_reward = -5, high_speed_reward = 1, arrived_reward = 1;
  Numbers<2> reward_speed_range = {7, 9};
  bool unit_reward = false, offroad_terminal = false;

  static Options<IntersectionOptions> Describe();
};

struct IntersectionConfig : TaskOptions,
                            PlayerOptions,
                            ObservationOptions,
                            ActionOptions,
                            IntersectionOptions {
  IntersectionConfig();
  bool rewards_each = false;  // players get rewards of their own: highway-env's MultiAgentWrapper
};

// The configs of intersection-v1 and of intersection-multi-agent-v0 and -v1.
IntersectionConfig ContinuousIntersection();
IntersectionConfig MultiAgentIntersection(bool rewards_each);

class Intersection {
 public:
  using Config = IntersectionConfig;

  static Options<Config> Describe();
  static std::vector<PlacedLane> Lanes(const Config& config);
  static void Check(const Config& config);
  static TrafficRules Rules(const Config& config);
  static constexpr std::array<RewardTerm<Config>, 4> kTerms = {
      {{"collision_reward", TermType::kNumber, &Config::collision_reward},
       {"high_speed_reward", TermType::kNumber, &Config::high_speed_reward},
       {"arrived_reward", TermType::kNumber, &Config::arrived_reward},
       {"on_road_reward", TermType::kNumber}}};

  explicit Intersection(const Config& config);
  void Begin(Traffic& traffic, Rng& rng);
  void BeforeMove(double dt, Traffic& traffic) { regulation_.Frame(dt, traffic); }
  void AfterStep(Traffic& traffic, Rng& rng);
  TermValues Rate(const Traffic& traffic, const Decision& decision) const;
  void RateAgents(const Traffic& traffic, Agents& agents) const;
  double Reward(const Traffic& traffic, const Decision& decision, const TermValues& terms) const;
  bool IsOver(const Traffic& traffic) const;
  auto Saved() { return regulation_.Saved(); }

 private:
  // A new car on one of the roads to the intersection.
  struct Spawn {
    double along = 0, spread = 1, speed_spread = 1;  // m, m/s
    double chance = .6;
    bool goes_straight = false;
  };
  void AddCar(const Spawn& spawn, Traffic& traffic, Rng& rng) const;
  void AddEgo(int number, Traffic& traffic, Rng& rng) const;
  TermValues RateAgent(const Traffic& traffic, const Car& car) const;
  double AgentReward(const TermValues& terms) const;
  bool IsOnExit(const Traffic& traffic, const Car& car) const {
    return is_exit_[traffic.road().section_of(car.lane)];
  }
  bool HasArrived(const Traffic& traffic, const Car& car) const;

  const Config& config_;
  std::vector<bool> is_exit_;  // of each section: away from the intersection
  Regulation regulation_;
};

}  // namespace parallel_pool::highway
