#include "parallel_pool/envs/highway/tasks/racetrack.h"

#include <algorithm>
#include <cmath>

#include "parallel_pool/envs/highway/driver.h"

namespace parallel_pool::highway {
namespace {

// The reference chooses the first node of a lane, then its last one, then the lane's number.
int RandomLane(const Road& road, Rng& rng) {
  int begins = 0;  // nodes where lanes begin are the first ones
  while (begins < road.num_nodes() && !road.leaving(begins).empty()) ++begins;
  const auto sections = road.leaving(static_cast<int>(rng.Integers(0, begins)));
  const auto count = static_cast<int64_t>(sections.size());
  const Road::Section& section = road.section(sections[rng.Integers(0, count)]);
  return section.first_lane + static_cast<int>(rng.Integers(0, section.lanes));
}

}  // namespace

Options<RacetrackOptions> RacetrackOptions::Describe() {
  using T = RacetrackOptions;
  return {
      Option<&T::duration>("duration", "of an episode (s)", {.min = 0}),
      Option<&T::collision_reward>("collision_reward", "for crashes"),
      Option<&T::lane_centering_cost>("lane_centering_cost",
                                      "how fast the reward falls beside the middle (1/m^2)"),
      Option<&T::lane_centering_reward>("lane_centering_reward", "for the middle of the lane"),
      Option<&T::action_reward>("action_reward", "for actions, by their size"),
      Option<&T::other_vehicles>("other_vehicles", "other cars: 1 to this; 0: none",
                                 {.min = 0, .max = 1000}),
      Option<&T::speed_limit>("speed_limit", "of racetrack-large, and there the ego's speed (m/s)"),
      Option<&T::terminate_off_road>("terminate_off_road", "leaving the road ends the episode")};
}

Options<OvalOptions> OvalOptions::Describe() {
  using T = OvalOptions;
  return {Option<&T::length>("length", "of the long straight (m)", {.min = 1, .max = 100000}),
          Option<&T::no_lanes>("no_lanes", "lanes of the track; 1 is two at one place",
                               {.min = 1, .max = 100}),
          Option<&T::block_lane>("block_lane", "obstacles block the second lane"),
          Option<&T::force_decision>("force_decision", "obstacles block the first and third lane")};
}

RacetrackConfig::RacetrackConfig() {
  ObservationOptions& observation = *this;
  observation.type = "OccupancyGrid";
  observation.features = {"presence\non_road"};
  observation.grid_size = {-18, 18, -18, 18};
  observation.grid_step = {3, 3};
  observation.align_to_vehicle_axes = true;
  ActionOptions& action = *this;
  action.type = "ContinuousAction";
  action.longitudinal = false;
  action.target_speeds = {0, 5, 10};
  policy_frequency = 5;
  screen_height = 600;
  TaskOptions::centering_position = {.5, .5};
}

RacetrackConfig LargeRacetrack() {
  RacetrackConfig config;
  config.is_large = true;
  return config;
}

Options<RacetrackConfig> Racetrack::Describe() {
  return DescribeAll<Config, TaskOptions, PlayerOptions, ObservationOptions, ActionOptions,
                     RacetrackOptions>();
}

Options<OvalConfig> Oval::Describe() {
  return DescribeAll<Config, TaskOptions, PlayerOptions, ObservationOptions, ActionOptions,
                     RacetrackOptions, OvalOptions>();
}

void Race::Check(const RacetrackConfig& config) {
  const ActionOptions& action = config;
  if (action.is_meta()) Refuse("action.type", action.type, "ContinuousAction or DiscreteAction");
}

TrafficRules Race::Rules(const RacetrackConfig& config) {
  TrafficRules rules =
      RulesOf(config, config, config.controlled_vehicles + config.other_vehicles + 1);
  rules.drivers = RulesOf(CarKind::kIdm);
  return rules;
}

Car Race::MakeRacer(const Traffic& traffic, int lane, double most_along, Rng& rng) const {
  const double along = rng.Uniform(0, most_along);
  return traffic.MakeOnLane(CarKind::kIdm, lane, along, 6.0 + rng.Uniform(0, 3));
}

void Race::Begin(Traffic& traffic, Rng& rng) {
  constexpr double kSafe = 20;  // m
  const Road& road = traffic.road();
  int lane = 0;
  for (int i = 0; i < config_.controlled_vehicles; ++i) {
    lane = i == 0 ? road.FindLane("a", "b", static_cast<int>(rng.Integers(0, lanes_)))
                  : RandomLane(road, rng);
    const double speed = road.lane(lane).traits().speed_limit;
    traffic.AddEgo(traffic.MakeOnLane(traffic.rules().ego_kind, lane, rng.Uniform(20, 50), speed));
  }
  if (config_.other_vehicles == 0) return;
  const double length = road.lane(road.FindLane("b", "c", 0)).length();
  const int front = road.FindLane("b", "c", road.place_of(lane));
  traffic.cars.push_back(MakeRacer(traffic, front, length, rng));
  const int64_t more = rng.Integers(0, config_.other_vehicles);
  for (int64_t i = 0; i < more; ++i) {
    lane = RandomLane(road, rng);
    const Car car = MakeRacer(traffic, lane, road.lane(lane).length(), rng);
    const bool is_free = std::ranges::none_of(traffic.cars, [&](const Car& other) {
      return Norm(car.position - other.position) < kSafe;
    });
    if (is_free) traffic.cars.push_back(car);
  }
}

void Oval::Begin(Traffic& traffic, Rng& rng) {
  const auto add = [&](double x, double y) {
    traffic.things.push_back(traffic.MakeCar(CarKind::kObstacle, {x, y}, 0, 0));
  };
  if (oval_.block_lane) {
    for (const double before_end : {40.0, 43.0, 46.0, 49.0}) {
      add(oval_.length - before_end, 3.75);
      add(oval_.length - before_end, 6.25);
    }
  }
  if (oval_.force_decision) {
    for (const double y : {-1.25, 1.25, 8.85, 11.25}) add(oval_.length - 90.0, y);
  }
  Race::Begin(traffic, rng);
}

TermValues Race::Rate(const Traffic& traffic, const Decision& decision) const {
  const Car& ego = traffic.ego();
  const LanePoint p = traffic.LaneOf(ego).Locate(ego.position);
  return {1 / (1 + config_.lane_centering_cost * PythonSquare(p.across)), decision.Norm(),
          static_cast<double>(ego.is_crashed),
          static_cast<double>(traffic.LaneOf(ego).Contains(p))};
}

double Race::Reward(const Traffic& traffic, const Decision& decision,
                    const TermValues& terms) const {
  double sum = WeightedSum(kRaceTerms<RacetrackConfig>, config_, terms);
  if (!decision.numbers.empty() && !decision.is_double) {
    // Actions of float32 make NumPy add float32 numbers, except to the float64 of an arc.
    const float action = static_cast<float>(config_.action_reward) * static_cast<float>(terms[1]);
    const double centering = config_.lane_centering_reward * terms[0];
    const double collision = config_.collision_reward * terms[2];
    if (traffic.LaneOf(traffic.ego()).shape() == Lane::Shape::kCircle) {
      sum = centering + static_cast<double>(action) + collision;
    } else {
      sum = static_cast<float>(centering) + action + static_cast<float>(collision);
    }
  }
  return LinearMap(sum, config_.collision_reward, 1, 0, 1) * terms[3];
}

bool Race::IsOver(const Traffic& traffic) const {
  const Car& ego = traffic.ego();
  return ego.is_crashed || (config_.terminate_off_road && !traffic.IsOnRoad(ego));
}

}  // namespace parallel_pool::highway
