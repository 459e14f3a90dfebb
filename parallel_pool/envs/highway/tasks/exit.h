// Leave a highway by an exit: exit-v0 and exit-v1.
#pragma once

#include "parallel_pool/envs/highway/driving.h"
#include "parallel_pool/envs/highway/tasks/highway.h"

namespace parallel_pool::highway {

struct ExitOptions {
  double goal_reward = 1;

  static Options<ExitOptions> Describe() {
    return {Option<&ExitOptions::goal_reward>("goal_reward", "for a lane that leads to the exit")};
  }
};

struct ExitConfig : TaskOptions,
                    PlayerOptions,
                    ObservationOptions,
                    ActionOptions,
                    HighwayOptions,
                    ExitOptions {
  ExitConfig();
};

class Exit {
 public:
  using Config = ExitConfig;

  static constexpr const char* kOwnObservation = "ExitObservation";
  static Options<Config> Describe();
  static std::vector<PlacedLane> Lanes(const Config& config);
  static void Check(const Config& config);
  static TrafficRules Rules(const Config& config);
  static constexpr std::array<RewardTerm<Config>, 4> kTerms = {
      {{"collision_reward", TermType::kFlag, &Config::collision_reward},
       {"goal_reward", TermType::kFlag, &Config::goal_reward},
       {"high_speed_reward", TermType::kNumber, &Config::high_speed_reward},
       {"right_lane_reward", TermType::kInteger, &Config::right_lane_reward}}};

  explicit Exit(const Config& config);
  void Begin(Traffic& traffic, Rng& rng);
  TermValues Rate(const Traffic& traffic, const Decision& decision) const;
  double Reward(const Traffic& traffic, const Decision& decision, const TermValues& terms) const;
  bool IsOver(const Traffic& traffic) const { return traffic.ego().is_crashed; }
  bool IsSuccess(const Traffic& traffic, int ego) const;

 private:
  int DrawLane(Rng& rng) const;

  const Config& config_;
  const int last_lane_, exit_lane_;  // the lane to the exit, and the exit
  std::vector<double> chances_;      // of each lane and those before it
};

}  // namespace parallel_pool::highway
