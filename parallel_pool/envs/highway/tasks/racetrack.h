// Follow a race track with another car: racetrack-v0 and -v1, racetrack-large-v0 and -v1, and
// racetrack-oval-v0 and -v1.
#pragma once

#include "parallel_pool/envs/highway/driving.h"

namespace parallel_pool::highway {

struct RacetrackOptions {
  double duration = 300;
  double collision_reward = -1, lane_centering_cost = 4, lane_centering_reward = 1;
  double action_reward = -.3;
  int other_vehicles = 1;
  double speed_limit = 10;
  bool terminate_off_road = true;

  static Options<RacetrackOptions> Describe();
};

struct OvalOptions {
  int length = 100, no_lanes = 3;
  bool block_lane = false, force_decision = false;

  static Options<OvalOptions> Describe();
};

struct RacetrackConfig : TaskOptions,
                         PlayerOptions,
                         ObservationOptions,
                         ActionOptions,
                         RacetrackOptions {
  RacetrackConfig();
  bool is_large = false;
};

// The config of racetrack-large.
RacetrackConfig LargeRacetrack();

struct OvalConfig : RacetrackConfig, OvalOptions {};

// The lanes of the tracks.
std::vector<PlacedLane> SmallTrack();
std::vector<PlacedLane> LargeTrack(double speed_limit);
std::vector<PlacedLane> OvalTrack(int length, int lanes);

// The common part of all tracks.
class Race {
 public:
  static void Check(const RacetrackConfig& config);
  static TrafficRules Rules(const RacetrackConfig& config);

  // `lanes`: of the section where the first ego begins.
  Race(const RacetrackConfig& config, int lanes) : config_(config), lanes_(lanes) {}
  void Begin(Traffic& traffic, Rng& rng);
  TermValues Rate(const Traffic& traffic, const Decision& decision) const;
  double Reward(const Traffic& traffic, const Decision& decision, const TermValues& terms) const;
  bool IsOver(const Traffic& traffic) const;

 protected:
  const RacetrackConfig& config_;

 private:
  Car MakeRacer(const Traffic& traffic, int lane, double most_along, Rng& rng) const;

  const int lanes_;
};

template <class Config>
inline constexpr std::array<RewardTerm<Config>, 4> kRaceTerms = {
    {{"lane_centering_reward", TermType::kNumber, &Config::lane_centering_reward},
     {"action_reward", TermType::kNumber, &Config::action_reward},
     {"collision_reward", TermType::kFlag, &Config::collision_reward},
     {"on_road_reward", TermType::kFlag}}};

class Racetrack : public Race {
 public:
  using Config = RacetrackConfig;

  static Options<Config> Describe();
  static std::vector<PlacedLane> Lanes(const Config& config) {
    return config.is_large ? LargeTrack(config.speed_limit) : SmallTrack();
  }
  static constexpr auto kTerms = kRaceTerms<Config>;

  explicit Racetrack(const Config& config) : Race(config, 2) {}
};

class Oval : public Race {
 public:
  using Config = OvalConfig;

  static Options<Config> Describe();
  static std::vector<PlacedLane> Lanes(const Config& config) {
    return OvalTrack(config.length, config.no_lanes);
  }
  static constexpr auto kTerms = kRaceTerms<Config>;

  explicit Oval(const Config& config) : Race(config, config.no_lanes), oval_(config) {}
  void Begin(Traffic& traffic, Rng& rng);

 private:
  const OvalOptions& oval_;
};

}  // namespace parallel_pool::highway
