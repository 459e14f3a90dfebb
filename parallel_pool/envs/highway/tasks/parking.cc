#include "parallel_pool/envs/highway/tasks/parking.h"

#include <algorithm>
#include <cmath>

namespace parallel_pool::highway {
namespace {

constexpr int kSpots = 14;  // on each side

// The features that rewards are about, and their scales.
constexpr Feature kGoalFeatures[] = {Feature::kX,  Feature::kY,    Feature::kVx,
                                     Feature::kVy, Feature::kCosH, Feature::kSinH};
constexpr double kScales[] = {100, 100, 5, 5, 1, 1};
constexpr int kGoalSize = 6;

}  // namespace

Options<ParkingOptions> ParkingOptions::Describe() {
  using T = ParkingOptions;
  return {
      Option<&T::reward_weights>("reward_weights",
                                 "of the distances of x, y, vx, vy, cos_h and sin_h", {.min = 0}),
      Option<&T::success_goal_reward>("success_goal_reward", "a goal is achieved above minus this"),
      Option<&T::collision_reward>("collision_reward", "for crashes"),
      Option<&T::steering_range>("steering_range", "no effect, as in highway-env"),
      Option<&T::duration>("duration", "of an episode (s)", {.min = 0}),
      Option<&T::vehicles_count>("vehicles_count", "parked cars", {.min = 0, .max = 1000}),
      Option<&T::add_walls>("add_walls", "walls around")};
}

ParkingConfig::ParkingConfig() {
  ObservationOptions& observation = *this;
  observation.type = "KinematicsGoal";
  observation.features = {"x\ny\nvx\nvy\ncos_h\nsin_h"};
  observation.scales.assign(std::begin(kScales), std::end(kScales));
  observation.normalize = false;
  ActionOptions& action = *this;
  action.type = "ContinuousAction";
  policy_frequency = 5;
  screen_height = 300;
  TaskOptions::centering_position = {.5, .5};
  TaskOptions::scaling = 7;
}

ParkingConfig RepeatedParking() {
  ParkingConfig config;
  config.policy_frequency = 1;
  config.duration = 20;
  return config;
}

ParkingConfig ParkedParking() {
  ParkingConfig config;
  config.ParkingOptions::vehicles_count = 10;
  return config;
}

Options<ParkingConfig> Parking::Describe() {
  return DescribeAll<Config, TaskOptions, PlayerOptions, ObservationOptions, ActionOptions,
                     ParkingOptions>();
}

void Parking::Check(const Config& config) {
  const ObservationOptions& observation = config;
  const auto text = [](size_t count) { return "of " + std::to_string(count) + " numbers"; };
  if (config.reward_weights.size() != kGoalSize) {
    Refuse("reward_weights", text(config.reward_weights.size()), text(kGoalSize));
  }
  if (config.controlled_vehicles > kSpots) {
    Refuse("controlled_vehicles", std::to_string(config.controlled_vehicles),
           "at most " + std::to_string(kSpots) + " in parking");
  }
  if (observation.type != kOwnObservation) return;
  const size_t features = NamesOf(observation.features).size();
  if (observation.scales.size() != features) {
    Refuse("observation.scales", text(observation.scales.size()),
           text(features) + ", one for each of observation.features");
  }
  for (const FeatureColumn& column : ColumnsOf(observation)) {
    if (column.feature != Feature::kHeading && column.feature < Feature::kLongOff) continue;
    Refuse("observation.features", "of more than a goal has", "without heading and offsets");
  }
}

TrafficRules Parking::Rules(const Config& config) {
  TrafficRules rules = RulesOf(config, config);
  rules.shows_green_egos = true;
  return rules;
}

std::vector<PlacedLane> Parking::Lanes(const Config&) {
  constexpr double kWidth = 4, kAway = 10, kLength = 8;  // m
  constexpr LaneTraits kTraits = {
      .width = kWidth, .left = LineType::kContinuous, .right = LineType::kContinuous};
  std::vector<PlacedLane> lanes;
  for (int k = 0; k < kSpots; ++k) {
    const double x = (k + 1 - kSpots / 2) * kWidth - kWidth / 2;
    lanes.push_back({"a", "b", Lane::Straight({x, kAway}, {x, kAway + kLength}, kTraits)});
    lanes.push_back({"b", "c", Lane::Straight({x, -kAway}, {x, -kAway - kLength}, kTraits)});
  }
  return lanes;
}

int Parking::GoalSize(const Config& config) {
  const ObservationOptions& observation = config;
  const size_t features = NamesOf(observation.features).size();
  const bool has_goals = observation.type == kOwnObservation && features == kGoalSize;
  return has_goals && !config.multi_agent ? kGoalSize : 0;
}

Outcome Parking::JudgeGoal(const Config& config, const double* achieved, const double* desired) {
  double distance = std::abs(achieved[0] - desired[0]) * config.reward_weights[0];
  for (int i = 1; i < kGoalSize; ++i) {
    const double part = std::abs(achieved[i] - desired[i]), weight = config.reward_weights[i];
    distance =
        NumpyArithmetic().fuses_dot ? std::fma(part, weight, distance) : distance + part * weight;
  }
  const double reward = -std::sqrt(distance);
  return {.reward = reward, .terminated = reward > -config.success_goal_reward};
}

Parking::Parking(const Config& config) : config_(config), features_(ColumnsOf(config)) {
  spots_.reserve(2 * kSpots);
}

int Parking::DrawSpot(Rng& rng) {
  const auto place = spots_.begin() + rng.Integers(0, static_cast<int64_t>(spots_.size()));
  const int spot = *place;
  spots_.erase(place);
  return spot;
}

void Parking::AddWalls(Traffic& traffic) const {
  constexpr double kWidth = 70, kHeight = 42;  // m
  const auto add = [&](Point place, double heading, double length) {
    Car wall = traffic.MakeCar(CarKind::kObstacle, place, heading, 0);
    wall.SetSize(length, 1);
    traffic.things.push_back(wall);
  };
  for (const double y : {-kHeight / 2, kHeight / 2}) add({0, y}, 0, kWidth);
  for (const double x : {-kWidth / 2, kWidth / 2}) add({x, 0}, kPi / 2, kHeight);
}

void Parking::Begin(Traffic& traffic, Rng& rng) {
  const int egos = config_.controlled_vehicles;
  const Road& road = traffic.road();
  spots_.clear();
  for (int i = 0; i < road.num_lanes(); ++i) spots_.push_back(i);
  for (int i = 0; i < egos; ++i) {
    const double x = (i - egos / 2) * 10.0;
    const double heading = 2.0 * kPi * rng.Random();
    traffic.AddEgo(traffic.MakeCar(traffic.rules().ego_kind, {x, 0}, heading, 0));
    std::erase(spots_, traffic.cars.back().lane);
  }
  for (int i = 0; i < egos; ++i) {
    const Lane& lane = road.lane(DrawSpot(rng));
    traffic.things.push_back(traffic.MakeCar(CarKind::kLandmark, lane.MiddleAt(lane.length() / 2),
                                             lane.HeadingAt(0), 0));
  }
  for (int i = 0; i < config_.ParkingOptions::vehicles_count && !spots_.empty(); ++i) {
    traffic.cars.push_back(traffic.MakeOnLane(CarKind::kSteered, DrawSpot(rng), 4, 0));
  }
  if (config_.add_walls) AddWalls(traffic);
}

Outcome Parking::JudgeEgo(const Traffic& traffic, int ego) const {
  double achieved[kGoalSize], desired[kGoalSize];
  for (int i = 0; i < kGoalSize; ++i) {
    achieved[i] = ValueOf(kGoalFeatures[i], traffic, traffic.ego(ego), true) / kScales[i];
    desired[i] = ValueOf(kGoalFeatures[i], traffic, traffic.things[ego], true) / kScales[i];
  }
  return JudgeGoal(config_, achieved, desired);
}

double Parking::Reward(const Traffic& traffic, const Decision&, const TermValues&) const {
  int crashed = 0;
  for (const int ego : traffic.egos) crashed += traffic.cars[ego].is_crashed;
  return JudgeEgo(traffic, 0).reward + config_.collision_reward * crashed;
}

bool Parking::IsOver(const Traffic& traffic) const {
  const auto is_crashed = [&](int ego) { return traffic.cars[ego].is_crashed; };
  return std::ranges::any_of(traffic.egos, is_crashed) || IsSuccess(traffic, 0);
}

void Parking::WritePart(const Traffic& traffic, int ego, int part, Rng&, double* out) {
  const Car& car = part == 2 ? traffic.things[ego] : traffic.ego(ego);
  const ObservationOptions& options = config_;
  for (size_t i = 0; i < features_.size(); ++i) {
    out[i] = ValueOf(features_[i].feature, traffic, car, true) / options.scales[i];
  }
}

}  // namespace parallel_pool::highway
