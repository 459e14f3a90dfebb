#include "parallel_pool/envs/highway/tasks/u_turn.h"

#include <algorithm>

#include "parallel_pool/core/normal.h"
#include "parallel_pool/envs/highway/driver.h"

namespace parallel_pool::highway {

Options<UTurnOptions> UTurnOptions::Describe() {
  using T = UTurnOptions;
  return {Option<&T::duration>("duration", "of an episode (s)", {.min = 0}),
          Option<&T::collision_reward>("collision_reward", "for crashes"),
          Option<&T::left_lane_reward>("left_lane_reward", "for the lane of the highest number"),
          Option<&T::high_speed_reward>("high_speed_reward", "for driving fast"),
          Option<&T::reward_speed_range>("reward_speed_range",
                                         "speeds of no and of the whole reward (m/s)"),
          Option<&T::unit_reward>("unit_reward", "rewards are 0 .. 1"),
          Option<&T::offroad_terminal>("offroad_terminal", "no effect, as in highway-env")};
}

UTurnConfig::UTurnConfig() {
  ObservationOptions::type = "TimeToCollision";
  horizon = 16;
  target_speeds = {8, 16, 24};
  screen_width = 789;
  screen_height = 289;
}

Options<UTurnConfig> UTurn::Describe() {
  return DescribeAll<Config, TaskOptions, ObservationOptions, ActionOptions, UTurnOptions>();
}

std::vector<PlacedLane> UTurn::Lanes(const Config&) {
  constexpr double kLength = 128, kRadius = 20;  // m
  constexpr double kOuter = 2 * kLaneWidth + 2 * kRadius;
  constexpr LineType c = LineType::kContinuous, s = LineType::kStriped, n = LineType::kNone;
  constexpr LineType l = LineType::kContinuousLine;
  const Point center = {kLength, kLaneWidth + 20};
  const auto straight = [](double from, double to, double y, LineType left, LineType right) {
    return Lane::Straight({from, y}, {to, y}, {.left = left, .right = right});
  };
  const auto arc = [&](double radius, LineType left, LineType right) {
    return Lane::Circle(center, radius, Radians(90), Radians(-90), false,
                        {.left = left, .right = right});
  };
  return {{"c", "d", straight(kLength, 0, kLaneWidth, l, s)},
          {"c", "d", straight(kLength, 0, 0, n, l)},
          {"b", "c", arc(kRadius, c, s)},
          {"b", "c", arc(kRadius + kLaneWidth, n, c)},
          {"a", "b", straight(0, kLength, kOuter - kLaneWidth, l, s)},
          {"a", "b", straight(0, kLength, kOuter, n, l)}};
}

void UTurn::Begin(Traffic& traffic, Rng& rng) {
  constexpr double kSpread = 2;  // m, m/s
  struct Start {
    const char *from, *to;
    int lane;
    double along, speed;
  };
  constexpr Start kOthers[] = {{"a", "b", 0, 25, 13.5}, {"a", "b", 1, 56, 14.5},
                               {"b", "c", 1, .5, 4.5},  {"b", "c", 0, 17.5, 5.5},
                               {"c", "d", 0, 1, 3.5},   {"c", "d", 1, 30, 5.5}};
  const Road& road = traffic.road();
  const Point place = road.lane(road.FindLane("a", "b", 0)).MiddleAt(0);
  Car ego = traffic.MakeCar(traffic.rules().ego_kind, place, 0, 16);
  if (ego.follows_lanes()) ego.route = road.Plan(ego.lane, "d");
  traffic.AddEgo(ego);
  for (const Start& start : kOthers) {
    const double along = start.along + Normal(rng) * kSpread;
    const double speed = start.speed + Normal(rng) * kSpread;
    const int lane = road.FindLane(start.from, start.to, start.lane);
    Car car = traffic.MakeOnLane(traffic.rules().drivers.kind, lane, along, speed);
    car.route = road.Plan(car.lane, "d");
    if (&start == kOthers) RandomizeDriver(rng, car);
    traffic.cars.push_back(car);
  }
}

TermValues UTurn::Rate(const Traffic& traffic, const Decision&) const {
  const Car& ego = traffic.ego();
  const Road& road = traffic.road();
  const double last = std::max(road.count_beside(ego.lane) - 1, 1);
  const auto [low, high] = config_.reward_speed_range;
  return {static_cast<double>(ego.is_crashed), road.place_of(ego.lane) / last,
          Clip(LinearMap(ego.speed, low, high, 0, 1), 0, 1),
          static_cast<double>(traffic.IsOnRoad(ego))};
}

double UTurn::Reward(const Traffic&, const Decision&, const TermValues& terms) const {
  double reward = WeightedSum(kTerms, config_, terms);
  if (config_.unit_reward) {
    const double most = config_.high_speed_reward + config_.left_lane_reward;
    reward = LinearMap(reward, config_.collision_reward, most, 0, 1);
  }
  return reward * terms[3];
}

}  // namespace parallel_pool::highway
