#include "parallel_pool/envs/highway/tasks/lane_keeping.h"

#include <algorithm>

#include "parallel_pool/envs/highway/motion.h"

namespace parallel_pool::highway {
namespace {

// In the order of Attribute.
constexpr const char* kAttributes[] = {"state", "derivative", "reference_state"};
constexpr int kNumbers = 4;                         // y, heading, lateral speed, yaw rate
constexpr size_t kPlaces[kNumbers] = {1, 2, 4, 5};  // in a BicycleState

}  // namespace

Options<LaneKeepingOptions> LaneKeepingOptions::Describe() {
  using T = LaneKeepingOptions;
  return {
      Option<&T::state_noise>("state_noise", "most noise of the state", {.min = 0}),
      Option<&T::derivative_noise>("derivative_noise", "most noise of its derivative", {.min = 0})};
}

LaneKeepingConfig::LaneKeepingConfig() {
  ObservationOptions& observation = *this;
  observation.type = "AttributesObservation";
  observation.attributes = {"state\nderivative\nreference_state"};
  ActionOptions& action = *this;
  action.type = "ContinuousAction";
  action.steering_range = {-kPi / 3, kPi / 3};
  action.longitudinal = false;
  action.dynamical = true;
  simulation_frequency = 10;
  policy_frequency = 10;
  screen_height = 250;
  TaskOptions::scaling = 7;
  TaskOptions::centering_position = {.4, .5};
}

Options<LaneKeepingConfig> LaneKeeping::Describe() {
  return DescribeAll<Config, TaskOptions, ObservationOptions, ActionOptions, LaneKeepingOptions>();
}

void LaneKeeping::Check(const Config& config) {
  const ActionOptions& action = config;
  if (action.is_meta()) Refuse("action.type", action.type, "ContinuousAction or DiscreteAction");
  if (!action.dynamical) Refuse("action.dynamical", "false", "true in lane-keeping");
  const ObservationOptions& observation = config;
  if (observation.type != kOwnObservation) return;
  const std::vector<std::string> names = NamesOf(observation.attributes);
  if (names.empty() || names.size() > std::size(kAttributes)) {
    Refuse("observation.attributes", "of " + std::to_string(names.size()) + " names", "of 1 to 3");
  }
  for (const std::string& name : names) {
    const bool is_known = std::ranges::find(kAttributes, name) != std::end(kAttributes);
    if (is_known && std::ranges::count(names, name) == 1) continue;
    Refuse("observation.attributes", "with '" + name + "'",
           "of state, derivative and reference_state, each once");
  }
}

std::vector<PlacedLane> LaneKeeping::Lanes(const Config&) {
  constexpr double kWidth = 10;
  constexpr LineType s = LineType::kStriped, n = LineType::kNone;
  const LaneTraits traits = {.width = kWidth, .left = s, .right = s};
  LaneTraits last = traits;
  last.left = n;
  const Point middle = {115, 15}, end = {115 + 20, 15 + 20.0 * (15 - 50) / (115 - 50)};
  return {{"a", "b", Lane::Sine({0, 0}, {500, 0}, 5, 2 * kPi / 100, 0, traits)},
          {"c", "d", Lane::Straight({50, 50}, middle, traits)},
          {"d", "a", Lane::Straight(middle, end, last)}};
}

std::vector<LaneKeeping::Attribute> LaneKeeping::AttributesOf(const ObservationOptions& options) {
  std::vector<Attribute> attributes;
  if (options.type != kOwnObservation) return attributes;
  for (const std::string& name : NamesOf(options.attributes)) {
    attributes.push_back(
        static_cast<Attribute>(std::ranges::find(kAttributes, name) - kAttributes));
  }
  return attributes;
}

LaneKeeping::LaneKeeping(const Config& config)
    : config_(config),
      attributes_(AttributesOf(config)),
      first_lane_(config.road->FindLane("c", "d", 0)),
      second_lane_(config.road->FindLane("a", "b", 0)),
      lane_(first_lane_) {}

void LaneKeeping::Begin(Traffic& traffic, Rng& rng) {
  // The reference observes twice more at each reset.
  for (const Attribute attribute : attributes_) {
    if (attribute == Attribute::kReferenceState) continue;
    for (int i = 0; i < 2 * kNumbers; ++i) rng.Random();
  }
  lane_ = first_lane_;
  const Lane& lane = traffic.road().lane(lane_);
  traffic.AddEgo(
      traffic.MakeCar(traffic.rules().ego_kind, lane.PositionAt({50, -4}), lane.HeadingAt(0), 8.3));
}

void LaneKeeping::BeforeAction(const Traffic& traffic) {
  const Lane& lane = traffic.road().lane(lane_);
  if (!lane.Contains(lane.Locate(traffic.ego().position))) lane_ = second_lane_;
}

double LaneKeeping::Reward(const Traffic& traffic, const Decision&, const TermValues&) const {
  const Lane& lane = traffic.road().lane(lane_);
  const double across = lane.Locate(traffic.ego().position).across;
  return 1 - PythonSquare(across / lane.traits().width);
}

void LaneKeeping::WritePart(const Traffic& traffic, int ego, int part, Rng& rng, double* out) {
  const Car& car = traffic.ego(ego);
  const BicycleState state = StateOf(car);
  if (attributes_[part] == Attribute::kReferenceState) {
    const Lane& lane = traffic.road().lane(lane_);
    const LanePoint p = lane.Locate(car.position);
    out[0] = car.position.y - p.across;
    out[1] = lane.HeadingAt(p.along);
    out[2] = out[3] = 0;
    return;
  }
  const bool is_state = attributes_[part] == Attribute::kState;
  const BicycleState exact = is_state ? state : RatesOf(car, state);
  const double noise = is_state ? config_.state_noise : config_.derivative_noise;
  for (int i = 0; i < kNumbers; ++i) out[i] = exact[kPlaces[i]] + rng.Uniform(-noise, noise);
}

}  // namespace parallel_pool::highway
