#include "parallel_pool/envs/highway/tasks/highway.h"

#include <algorithm>
#include <cmath>

#include "parallel_pool/envs/highway/driver.h"

namespace parallel_pool::highway {

Options<HighwayOptions> HighwayOptions::Describe() {
  using T = HighwayOptions;
  return {Option<&T::lanes_count>("lanes_count", "lanes of the road", {.min = 1, .max = 100}),
          Option<&T::vehicles_count>("vehicles_count", "other cars", {.min = 0, .max = 10000}),
          Option<&T::initial_lane_id>(
              "initial_lane_id", "the egos' first lane; -1 (None): a random one. No effect in exit",
              {.min = -1, .max = 99}),
          Option<&T::duration>("duration", "of an episode (s)", {.min = 0}),
          Option<&T::ego_spacing>("ego_spacing", "between an ego and the cars behind it",
                                  {.min = 0, .max = 1000}),
          Option<&T::vehicles_density>("vehicles_density", "of the other cars",
                                       {.min = 1e-3, .max = 1000}),
          Option<&T::collision_reward>("collision_reward", "for crashes"),
          Option<&T::right_lane_reward>("right_lane_reward", "for driving on the right"),
          Option<&T::high_speed_reward>("high_speed_reward", "for driving fast"),
          Option<&T::lane_change_reward>("lane_change_reward", "no effect, as in highway-env"),
          Option<&T::reward_speed_range>("reward_speed_range",
                                         "speeds of no and of the whole reward (m/s)"),
          Option<&T::unit_reward>("unit_reward", "rewards are 0 .. 1"),
          Option<&T::offroad_terminal>("offroad_terminal",
                                       "leaving the road ends the episode; no effect in exit")};
}

HighwayConfig FastHighway() {
  HighwayConfig config;
  config.simulation_frequency = 5;
  config.lanes_count = 3;
  config.HighwayOptions::vehicles_count = 20;
  config.duration = 30;
  config.ego_spacing = 1.5;
  config.checks_all_collisions = false;
  return config;
}

void AddStraightLanes(int count, double start, double length, const char* from, const char* to,
                      std::vector<PlacedLane>* lanes) {
  for (int i = 0; i < count; ++i) {
    const double y = i * kLaneWidth;
    const LaneTraits traits = {
        .speed_limit = 30,
        .left = i == 0 ? LineType::kContinuousLine : LineType::kStriped,
        .right = i == count - 1 ? LineType::kContinuousLine : LineType::kNone};
    lanes->push_back({from, to, Lane::Straight({start, y}, {start + length, y}, traits)});
  }
}

int ChosenLane(const Car& car) {
  return car.follows_lanes() ? car.target_lane : car.lane;
}

Car MakeRandomCar(const Traffic& traffic, CarKind kind, const RandomPlace& place, Rng& rng) {
  const Lane& lane = traffic.road().lane(place.lane);
  const double usual = 12 + 1.0 * place.speed;
  const double offset =
      place.spacing * usual * Exp(-5.0 / 40 * traffic.road().count_beside(place.lane));
  double along = 3 * offset;
  for (size_t i = 0; i < traffic.cars.size(); ++i) {
    const double other = lane.Locate(traffic.cars[i].position).along;
    along = i == 0 ? other : std::max(along, other);
  }
  along += offset * rng.Uniform(.9, 1.1);
  return traffic.MakeOnLane(kind, place.lane, along, place.speed);
}

Options<HighwayConfig> Highway::Describe() {
  return DescribeAll<Config, TaskOptions, PlayerOptions, ObservationOptions, ActionOptions,
                     HighwayOptions>();
}

TrafficRules Highway::Rules(const Config& config) {
  const int most = config.controlled_vehicles + config.HighwayOptions::vehicles_count;
  return RulesOf(config, config, most);
}

std::vector<PlacedLane> Highway::Lanes(const Config& config) {
  std::vector<PlacedLane> lanes;
  AddStraightLanes(config.lanes_count, 0, 10000, "0", "1", &lanes);
  return lanes;
}

void Highway::Check(const Config& config) {
  if (config.initial_lane_id >= config.lanes_count) {
    Refuse("initial_lane_id", std::to_string(config.initial_lane_id),
           "less than lanes_count, " + std::to_string(config.lanes_count));
  }
}

void Highway::Begin(Traffic& traffic, Rng& rng) {
  constexpr double kEgoSpeed = 25, kLeastPart = .7, kMostPart = .8;  // m/s, of the speed limit
  const int lanes = config_.lanes_count, egos = config_.controlled_vehicles;
  const int others = config_.HighwayOptions::vehicles_count;
  for (int ego = 0; ego < egos; ++ego) {
    int lane = config_.initial_lane_id;
    if (lane < 0) lane = static_cast<int>(rng.Integers(0, lanes));
    const RandomPlace first = {lane, kEgoSpeed, config_.ego_spacing};
    traffic.AddEgo(MakeRandomCar(traffic, traffic.rules().ego_kind, first, rng));
    const int followers = others / egos + (ego < others % egos ? 1 : 0);
    for (int i = 0; i < followers; ++i) {
      lane = static_cast<int>(rng.Integers(0, lanes));
      const double limit = traffic.road().lane(lane).traits().speed_limit;
      const double speed = rng.Uniform(kLeastPart * limit, kMostPart * limit);
      const RandomPlace place = {lane, speed, 1 / config_.vehicles_density};
      Car car = MakeRandomCar(traffic, traffic.rules().drivers.kind, place, rng);
      RandomizeDriver(rng, car);
      car.checks_collisions = config_.checks_all_collisions;
      traffic.cars.push_back(car);
    }
  }
}

TermValues Highway::Rate(const Traffic& traffic, const Decision&) const {
  const Car& ego = traffic.ego();
  const double lane = traffic.road().place_of(ChosenLane(ego));
  const double last = std::max(traffic.road().count_beside(ego.lane) - 1, 1);
  const auto [low, high] = config_.reward_speed_range;
  const double speed = LinearMap(ego.speed * ego.direction.x, low, high, 0, 1);
  return {static_cast<double>(ego.is_crashed), lane / last, Clip(speed, 0, 1),
          static_cast<double>(traffic.IsOnRoad(ego))};
}

double Highway::Reward(const Traffic&, const Decision&, const TermValues& terms) const {
  double reward = WeightedSum(kTerms, config_, terms);
  if (config_.unit_reward) {
    const double most = config_.high_speed_reward + config_.right_lane_reward;
    reward = LinearMap(reward, config_.collision_reward, most, 0, 1);
  }
  return reward * terms[3];
}

bool Highway::IsOver(const Traffic& traffic) const {
  const Car& ego = traffic.ego();
  return ego.is_crashed || (config_.offroad_terminal && !traffic.IsOnRoad(ego));
}

}  // namespace parallel_pool::highway
