#include "parallel_pool/envs/highway/tasks/intersection.h"

#include <algorithm>
#include <array>
#include <string>

#include "parallel_pool/core/normal.h"
#include "parallel_pool/envs/highway/driver.h"

namespace parallel_pool::highway {
namespace {

// Roads of corner k, from 0 in the south clockwise: from node "ok" to "irk", and from "ilk" to
// "ok".
constexpr int kCorners = 4;
constexpr int kMostOnRoads = 100;  // cars for which there is room without an allocation
constexpr const char* kOuter[] = {"o0", "o1", "o2", "o3"};
constexpr const char* kEntries[] = {"ir0", "ir1", "ir2", "ir3"};
constexpr const char* kExits[] = {"il0", "il1", "il2", "il3"};
constexpr const char* kDestinations[] = {"o0", "o1", "o2", "o3", ""};

void AddCorner(int corner, std::vector<PlacedLane>* lanes) {
  constexpr double kHalf = kLaneWidth / 2, kRight = kLaneWidth + 5, kLeft = kRight + kLaneWidth;
  constexpr double kNear = kRight + kLaneWidth / 2, kFar = 50 + 50 + kNear;  // m
  constexpr LineType c = LineType::kContinuous, s = LineType::kStriped, n = LineType::kNone;
  const double angle = Radians(90 * corner);
  const int priority = corner % 2 == 1 ? 3 : 1;
  const auto at = [way = DirectionOf(angle)](double x, double y) { return Turned(way, {x, y}); };
  const auto traits = [](int priority, LineType left, LineType right) {
    return LaneTraits{.speed_limit = 10, .priority = priority, .left = left, .right = right};
  };
  const auto add = [lanes](const char* from, const char* to, const Lane& lane) {
    lanes->push_back({from, to, lane});
  };
  const char *outer = kOuter[corner], *entry = kEntries[corner];
  const int to_right = (corner + 3) % 4, to_left = (corner + 1) % 4, ahead = (corner + 2) % 4;
  add(outer, entry, Lane::Straight(at(kHalf, kFar), at(kHalf, kNear), traits(priority, s, c)));
  add(entry, kExits[to_right],
      Lane::Circle(at(kNear, kNear), kRight, angle + Radians(180), angle + Radians(270), true,
                   traits(priority, n, c)));
  add(entry, kExits[to_left],
      Lane::Circle(at(-kLeft + kHalf, kLeft - kHalf), kLeft, angle + Radians(0),
                   angle + Radians(-90), false, traits(priority - 1, n, n)));
  add(entry, kExits[ahead],
      Lane::Straight(at(kHalf, kNear), at(kHalf, -kNear), traits(priority, s, n)));
  add(kExits[to_right], kOuter[to_right],
      Lane::Straight(at(kNear, kHalf), at(kFar, kHalf), traits(priority, n, c)));
}

}  // namespace

Options<IntersectionOptions> IntersectionOptions::Describe() {
  using T = IntersectionOptions;
  return {Option<&T::duration>("duration", "of an episode (s)", {.min = 0}),
          Option<&T::destination>(
              "destination", "of the egos: o0 south, o1 west, o2 north, o3 east; '' (None): any",
              OneOf(kDestinations)),
          Option<&T::initial_vehicle_count>(
              "initial_vehicle_count", "other cars at the begin, at most", {.min = 0, .max = 1000}),
          Option<&T::spawn_probability>("spawn_probability", "of a new car in each step",
                                        {.min = 0, .max = 1}),
          Option<&T::collision_reward>("collision_reward", "for crashes"),
          Option<&T::high_speed_reward>("high_speed_reward", "for driving fast"),
          Option<&T::arrived_reward>("arrived_reward", "for crossing the intersection"),
          Option<&T::reward_speed_range>("reward_speed_range",
                                         "speeds of no and of the whole reward (m/s)"),
          Option<&T::unit_reward>("unit_reward", "rewards are 0 .. 1"),
          Option<&T::offroad_terminal>("offroad_terminal", "leaving the road ends the episode")};
}

IntersectionConfig::IntersectionConfig() {
  ObservationOptions& observation = *this;
  observation.vehicles_count = 15;
  observation.features = {"presence\nx\ny\nvx\nvy\ncos_h\nsin_h"};
  observation.features_range = {
      {{"x", {-100, 100}}, {"y", {-100, 100}}, {"vx", {-20, 20}}, {"vy", {-20, 20}}}};
  observation.absolute = true;
  lateral = false;
  target_speeds = {0, 4.5, 9};
  screen_height = 600;
  TaskOptions::centering_position = {.5, .6};
  TaskOptions::scaling = 5.5 * 1.3;
}

IntersectionConfig ContinuousIntersection() {
  IntersectionConfig config;
  ObservationOptions& observation = config;
  observation.vehicles_count = 5;
  observation.features = {"presence\nx\ny\nvx\nvy\nlong_off\nlat_off\nang_off"};
  ActionOptions& action = config;
  action.type = "ContinuousAction";
  action.steering_range = {-kPi / 3, kPi / 3};
  action.lateral = true;
  action.dynamical = true;
  return config;
}

IntersectionConfig MultiAgentIntersection(bool rewards_each) {
  IntersectionConfig config;
  config.controlled_vehicles = 2;
  config.multi_agent = true;
  config.rewards_each = rewards_each;
  return config;
}

Options<IntersectionConfig> Intersection::Describe() {
  return DescribeAll<Config, TaskOptions, PlayerOptions, ObservationOptions, ActionOptions,
                     IntersectionOptions>();
}

void Intersection::Check(const Config& config) {
  if (config.simulation_frequency < 2) {
    Refuse("simulation_frequency", "1", "at least 2: rules apply twice a second");
  }
}

TrafficRules Intersection::Rules(const Config& config) {
  TrafficRules rules = RulesOf(config, config, kMostOnRoads + config.controlled_vehicles);
  rules.drivers.jam_distance = 7;
  rules.drivers.comfort_acceleration = 6;
  rules.drivers.comfort_braking = -3;
  return rules;
}

std::vector<PlacedLane> Intersection::Lanes(const Config&) {
  std::vector<PlacedLane> lanes;
  for (int corner = 0; corner < kCorners; ++corner) AddCorner(corner, &lanes);
  return lanes;
}

Intersection::Intersection(const Config& config)
    : config_(config), regulation_(kMostOnRoads + config.controlled_vehicles) {
  const Road& road = *config.road;
  for (int s = 0; s < road.num_sections(); ++s) {
    is_exit_.push_back(road.name(road.section(s).from).starts_with("il"));
  }
}

void Intersection::AddCar(const Spawn& spawn, Traffic& traffic, Rng& rng) const {
  constexpr double kSafe = 15;  // m
  if (rng.Random() > spawn.chance) return;
  std::array<int, 2> way;  // from and to a corner
  rng.Choose(kCorners, std::span<int>(way));
  if (spawn.goes_straight) way[1] = (way[0] + 2) % 4;
  const Road& road = traffic.road();
  const double along = spawn.along + 5.0 + Normal(rng) * spawn.spread;
  const double speed = 8.0 + Normal(rng) * spawn.speed_spread;
  const int lane = road.FindLane(kOuter[way[0]], kEntries[way[0]], 0);
  Car car = traffic.MakeOnLane(traffic.rules().drivers.kind, lane, along, speed);
  for (const Car& other : traffic.cars) {
    if (Norm(other.position - car.position) < kSafe) return;
  }
  car.route = road.Plan(car.lane, kOuter[way[1]]);
  RandomizeDriver(rng, car);
  traffic.cars.push_back(car);
}

void Intersection::AddEgo(int number, Traffic& traffic, Rng& rng) const {
  constexpr double kSafe = 20, kAlong = 60;  // m
  const Road& road = traffic.road();
  const int corner = number % kCorners;
  const Lane& lane = road.lane(road.FindLane(kOuter[corner], kEntries[corner], 0));
  const char* goal = config_.destination.c_str();
  if (config_.destination.empty()) goal = kOuter[rng.Integers(1, kCorners)];
  const Point place = lane.MiddleAt(kAlong + 5.0 * (1 + Normal(rng)));
  Car ego = traffic.MakeCar(traffic.rules().ego_kind, place, lane.HeadingAt(kAlong),
                            lane.traits().speed_limit);
  if (ego.follows_lanes()) ego.route = road.Plan(ego.lane, goal);
  traffic.AddEgo(ego);
  traffic.RemoveCars([&](const Car& car) { return Norm(car.position - ego.position) < kSafe; });
}

void Intersection::Begin(Traffic& traffic, Rng& rng) {
  constexpr int kSeconds = 3;
  const int most = config_.initial_vehicle_count;
  regulation_.Begin();
  for (int i = 0; i < most - 1; ++i) AddCar({.along = i * (80.0 / (most - 1))}, traffic, rng);
  const double dt = 1.0 / config_.simulation_frequency;
  for (int i = 0; i < kSeconds * config_.simulation_frequency; ++i) {
    traffic.Act();
    regulation_.Frame(dt, traffic);
    traffic.Move(dt);
  }
  AddCar({.along = 60, .spread = .1, .speed_spread = 0, .chance = 1, .goes_straight = true},
         traffic, rng);
  for (int i = 0; i < config_.controlled_vehicles; ++i) AddEgo(i, traffic, rng);
}

void Intersection::AfterStep(Traffic& traffic, Rng& rng) {
  traffic.RemoveCars([&](const Car& car) {
    if (!IsOnExit(traffic, car)) return false;
    const Lane& lane = traffic.LaneOf(car);
    return lane.Locate(car.position).along >= lane.length() - 4 * kCarLength;
  });
  AddCar({.chance = config_.spawn_probability}, traffic, rng);
}

bool Intersection::HasArrived(const Traffic& traffic, const Car& car) const {
  constexpr double kBehind = 25;  // m
  return IsOnExit(traffic, car) && traffic.LaneOf(car).Locate(car.position).along >= kBehind;
}

TermValues Intersection::RateAgent(const Traffic& traffic, const Car& car) const {
  const auto [low, high] = config_.reward_speed_range;
  return {static_cast<double>(car.is_crashed), Clip(LinearMap(car.speed, low, high, 0, 1), 0, 1),
          static_cast<double>(HasArrived(traffic, car)),
          static_cast<double>(traffic.IsOnRoad(car))};
}

double Intersection::AgentReward(const TermValues& terms) const {
  double reward = terms[2] != 0 ? config_.arrived_reward : WeightedSum(kTerms, config_, terms);
  reward *= terms[3];
  if (!config_.unit_reward) return reward;
  return LinearMap(reward, config_.collision_reward, config_.arrived_reward, 0, 1);
}

TermValues Intersection::Rate(const Traffic& traffic, const Decision&) const {
  TermValues mean = {};
  for (const int ego : traffic.egos) {
    const TermValues terms = RateAgent(traffic, traffic.cars[ego]);
    for (size_t i = 0; i < kTerms.size(); ++i) mean[i] += terms[i];
  }
  for (double& term : mean) term /= traffic.num_egos();
  return mean;
}

void Intersection::RateAgents(const Traffic& traffic, Agents& agents) const {
  for (int i = 0; i < traffic.num_egos(); ++i) {
    const Car& car = traffic.ego(i);
    agents.rewards[i] = AgentReward(RateAgent(traffic, car));
    agents.are_over[i] = car.is_crashed || HasArrived(traffic, car);
  }
}

double Intersection::Reward(const Traffic& traffic, const Decision&, const TermValues&) const {
  double sum = 0;
  for (const int ego : traffic.egos) sum += AgentReward(RateAgent(traffic, traffic.cars[ego]));
  return sum / traffic.num_egos();
}

bool Intersection::IsOver(const Traffic& traffic) const {
  const auto is_crashed = [&](int ego) { return traffic.cars[ego].is_crashed; };
  const auto has_arrived = [&](int ego) { return HasArrived(traffic, traffic.cars[ego]); };
  return std::ranges::any_of(traffic.egos, is_crashed) ||
         std::ranges::all_of(traffic.egos, has_arrived) ||
         (config_.offroad_terminal && !traffic.IsOnRoad(traffic.ego()));
}

}  // namespace parallel_pool::highway
