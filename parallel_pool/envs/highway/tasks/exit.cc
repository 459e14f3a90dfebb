#include "parallel_pool/envs/highway/tasks/exit.h"

#include <algorithm>

namespace parallel_pool::highway {
namespace {

constexpr double kExitAt = 400, kExitLength = 100, kRoadLength = 1000;  // m
constexpr double kExitEnd = kExitAt + kExitLength;

}  // namespace

ExitConfig::ExitConfig() {
  ObservationOptions& observation = *this;
  observation.type = "ExitObservation";
  observation.vehicles_count = 15;
  observation.features = {"presence\nx\ny\nvx\nvy\ncos_h\nsin_h"};
  observation.clip = false;
  target_speeds = {18, 24, 30};
  lanes_count = 6;
  HighwayOptions::vehicles_count = 20;
  duration = 18;
  vehicles_density = 1.5;
  collision_reward = 0;
  right_lane_reward = 0;
  high_speed_reward = .1;
  simulation_frequency = 5;
  TaskOptions::scaling = 5;
}

Options<ExitConfig> Exit::Describe() {
  return DescribeAll<Config, TaskOptions, PlayerOptions, ObservationOptions, ActionOptions,
                     HighwayOptions, ExitOptions>();
}

void Exit::Check(const Config& config) {
  if (config.lanes_count < 2) Refuse("lanes_count", "1", "at least 2 in exit");
}

TrafficRules Exit::Rules(const Config& config) {
  const int most = config.controlled_vehicles + config.HighwayOptions::vehicles_count;
  return RulesOf(config, config, most);
}

std::vector<PlacedLane> Exit::Lanes(const Config& config) {
  const int n = config.lanes_count;
  std::vector<PlacedLane> lanes;
  const auto add = [&](int count, double start, double end, const char* from, const char* to) {
    AddStraightLanes(count, start, end - start, from, to, &lanes);
    for (int i = 0; i < count; ++i)
      lanes[lanes.size() - count + i].lane.set_speed_limit(26 - 3.4 * i);
  };
  add(n, 0, kExitAt, "0", "1");
  add(n + 1, kExitAt, kExitEnd, "1", "2");
  add(n, kExitEnd, kRoadLength, "2", "3");
  constexpr double kRadius = 150;
  const Point center = {kExitEnd, n * kLaneWidth + kRadius};
  lanes.push_back(
      {"2", "exit",
       Lane::Circle(center, kRadius, 3 * kPi / 2, 2 * kPi, true, {.is_forbidden = true})});
  return lanes;
}

Exit::Exit(const Config& config)
    : config_(config),
      last_lane_(config.road->FindLane("1", "2", config.lanes_count)),
      exit_lane_(config.road->FindLane("2", "exit", 0)) {
  const int n = config.lanes_count;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += static_cast<double>(i) / (n * (n - 1) / 2);
    chances_.push_back(sum);
  }
  for (double& chance : chances_) chance /= sum;
}

// More cars are on the lanes on the right.
int Exit::DrawLane(Rng& rng) const {
  const auto place = std::ranges::upper_bound(chances_, rng.Random());
  return static_cast<int>(place - chances_.begin());
}

void Exit::Begin(Traffic& traffic, Rng& rng) {
  const Road& road = traffic.road();
  const int first = road.FindLane("0", "1", 0);
  for (int i = 0; i < config_.controlled_vehicles; ++i) {
    traffic.AddEgo(
        MakeRandomCar(traffic, traffic.rules().ego_kind, {first, 25, config_.ego_spacing}, rng));
  }
  for (int i = 0; i < config_.HighwayOptions::vehicles_count; ++i) {
    const int lane = first + DrawLane(rng);
    const double limit = road.lane(lane).traits().speed_limit;
    Car car = MakeRandomCar(traffic, traffic.rules().drivers.kind,
                            {lane, limit, 1 / config_.vehicles_density}, rng);
    car.route = road.Plan(car.lane, "3");
    car.changes_lanes = false;
    traffic.cars.push_back(car);
  }
}

TermValues Exit::Rate(const Traffic& traffic, const Decision&) const {
  const Car& ego = traffic.ego();
  const auto [low, high] = config_.reward_speed_range;
  return {static_cast<double>(ego.is_crashed), static_cast<double>(IsSuccess(traffic, 0)),
          Clip(LinearMap(ego.speed, low, high, 0, 1), 0, 1),
          static_cast<double>(traffic.road().place_of(ChosenLane(ego)))};
}

double Exit::Reward(const Traffic&, const Decision&, const TermValues& terms) const {
  const double reward = WeightedSum(kTerms, config_, terms);
  if (!config_.unit_reward) return reward;
  return Clip(LinearMap(reward, config_.collision_reward, config_.goal_reward, 0, 1), 0, 1);
}

bool Exit::IsSuccess(const Traffic& traffic, int ego) const {
  const int lane = ChosenLane(traffic.ego(ego));
  return lane == last_lane_ || lane == exit_lane_;
}

}  // namespace parallel_pool::highway
