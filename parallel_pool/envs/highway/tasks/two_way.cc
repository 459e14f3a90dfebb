#include "parallel_pool/envs/highway/tasks/two_way.h"

#include <algorithm>

#include "parallel_pool/core/normal.h"

namespace parallel_pool::highway {

Options<TwoWayOptions> TwoWayOptions::Describe() {
  using T = TwoWayOptions;
  return {Option<&T::collision_reward>("collision_reward", "no effect, as in highway-env"),
          Option<&T::left_lane_constraint>("left_lane_constraint", "no effect, as in highway-env"),
          Option<&T::left_lane_reward>("left_lane_reward", "for driving on the left"),
          Option<&T::high_speed_reward>("high_speed_reward", "for driving fast")};
}

TwoWayConfig::TwoWayConfig() {
  ObservationOptions::type = "TimeToCollision";
  horizon = 5;
}

Options<TwoWayConfig> TwoWay::Describe() {
  return DescribeAll<Config, TaskOptions, ObservationOptions, ActionOptions, TwoWayOptions>();
}

void TwoWay::Check(const Config& config) {
  const ActionOptions& action = config;
  if (!action.is_meta()) Refuse("action.type", action.type, "DiscreteMetaAction, for its speeds");
}

std::vector<PlacedLane> TwoWay::Lanes(const Config&) {
  constexpr double kLength = 800;  // m
  constexpr LineType c = LineType::kContinuousLine, s = LineType::kStriped, n = LineType::kNone;
  return {
      {"a", "b", Lane::Straight({0, 0}, {kLength, 0}, {.left = c, .right = s})},
      {"a", "b", Lane::Straight({0, kLaneWidth}, {kLength, kLaneWidth}, {.left = n, .right = c})},
      {"b", "a", Lane::Straight({kLength, 0}, {0, 0}, {.left = n, .right = n})}};
}

void TwoWay::Begin(Traffic& traffic, Rng& rng) {
  const Road& road = traffic.road();
  const int right = road.FindLane("a", "b", 1), oncoming = road.FindLane("b", "a", 0);
  traffic.AddEgo(traffic.MakeCar(traffic.rules().ego_kind, road.lane(right).MiddleAt(30), 0, 30));
  const auto add = [&](int lane, double along, double speed, double speed_spread) {
    along += 10.0 * Normal(rng);
    speed += speed_spread * Normal(rng);
    Car car = traffic.MakeOnLane(traffic.rules().drivers.kind, lane, along, speed);
    car.changes_lanes = false;
    if (lane == oncoming) car.target_lane = oncoming;
    traffic.cars.push_back(car);
  };
  for (int i = 0; i < 3; ++i) add(right, 70.0 + 40.0 * i, 24, 2);
  for (int i = 0; i < 2; ++i) add(oncoming, 200.0 + 100.0 * i, 20, 5);
}

TermValues TwoWay::Rate(const Traffic& traffic, const Decision&) const {
  const Car& ego = traffic.ego();
  const Road& road = traffic.road();
  const int last_speed = static_cast<int>(traffic.rules().ego_speeds.size()) - 1;
  // The reference divides by 0 where an ego is nearest to the lane of oncoming cars.
  const int last = std::max(road.count_beside(ego.lane) - 1, 1);
  const double left = last - road.place_of(ego.target_lane);
  return {static_cast<double>(ego.speed_index) / last_speed, left / last};
}

}  // namespace parallel_pool::highway
