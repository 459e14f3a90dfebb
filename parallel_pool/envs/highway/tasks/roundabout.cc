#include "parallel_pool/envs/highway/tasks/roundabout.h"

#include <string>

#include "parallel_pool/core/normal.h"
#include "parallel_pool/envs/highway/driver.h"
#include "parallel_pool/envs/highway/tasks/merge.h"

namespace parallel_pool::highway {

Options<RoundaboutOptions> RoundaboutOptions::Describe() {
  using T = RoundaboutOptions;
  return {Option<&T::incoming_vehicle_destination>(
              "incoming_vehicle_destination",
              "exit of the first car, in generic of all: 0 east, 1 south, 2 north; -1 (None): any",
              {.min = -1, .max = 3}),
          Option<&T::collision_reward>("collision_reward", "for crashes"),
          Option<&T::high_speed_reward>("high_speed_reward", "for driving fast"),
          Option<&T::right_lane_reward>("right_lane_reward", "no effect, as in highway-env"),
          Option<&T::lane_change_reward>("lane_change_reward", "for changes of lanes"),
          Option<&T::duration>("duration", "of an episode (s)", {.min = 0}),
          Option<&T::unit_reward>("unit_reward", "rewards are 0 .. 1")};
}

RoundaboutConfig::RoundaboutConfig() {
  absolute = true;
  features_range = {{{"x", {-100, 100}}, {"y", {-100, 100}}, {"vx", {-15, 15}}, {"vy", {-15, 15}}}};
  target_speeds = {0, 8, 16};
  screen_height = 600;
  TaskOptions::centering_position = {.5, .6};
}

TermValues RateInRoundabout(const Traffic& traffic, const Decision& decision) {
  // The reference takes these speeds whatever an ego's own ones are.
  constexpr std::array<double, 3> kSpeeds = {20, 25, 30};
  const Car& ego = traffic.ego();
  const int speed = ego.speed_index >= 0 ? ego.speed_index : SpeedIndexOf(kSpeeds, ego.speed);
  return {static_cast<double>(ego.is_crashed), speed / (kSpeeds.size() - 1.0),
          static_cast<double>(decision.changes_lane()), static_cast<double>(traffic.IsOnRoad(ego))};
}

double RoundaboutReward(const RoundaboutOptions& options, double sum, const TermValues& terms) {
  if (options.unit_reward) {
    sum = LinearMap(sum, options.collision_reward, options.high_speed_reward, 0, 1);
  }
  return sum * terms[3];
}

void AddRing(double radius, int count, std::vector<PlacedLane>* lanes) {
  constexpr double a = 24;  // degrees from a side to its entry and its exit
  struct Arc {
    const char *from, *to;
    double start, end;
  };
  constexpr Arc kArcs[] = {{"se", "ex", 90 - a, a},         {"ex", "ee", a, -a},
                           {"ee", "nx", -a, -90 + a},       {"nx", "ne", -90 + a, -90 - a},
                           {"ne", "wx", -90 - a, -180 + a}, {"wx", "we", -180 + a, -180 - a},
                           {"we", "sx", 180 - a, 90 + a},   {"sx", "se", 90 + a, 90 - a}};
  constexpr LineType c = LineType::kContinuous, s = LineType::kStriped, n = LineType::kNone;
  for (int i = 0; i < count; ++i) {
    const LaneTraits traits = {.left = i == 0 ? c : n, .right = i == count - 1 ? c : s};
    for (const Arc& arc : kArcs) {
      lanes->push_back({arc.from, arc.to,
                        Lane::Circle({0, 0}, radius + 4.0 * i, Radians(arc.start), Radians(arc.end),
                                     false, traits)});
    }
  }
}

Point AtSide(int side, const Point& p) {
  const Point turned[] = {p, {p.y, -p.x}, {-p.x, -p.y}, {-p.y, p.x}};
  return turned[side];
}

Point InSouth(int side, const Point& p) {
  return AtSide((4 - side) % 4, p);
}

void AddAccess(int side, const Access& access, std::vector<PlacedLane>* lanes) {
  const std::string s(1, kSides[side]);
  lanes->push_back({s + "er", s + "es", access.entry});
  lanes->push_back({s + "es", s + "e", access.entry_curve});
  lanes->push_back({s + "x", s + "xs", access.exit_curve});
  lanes->push_back({s + "xs", s + "xr", access.exit});
}

LaneTraits EntryTraits() {
  return {.left = LineType::kStriped, .right = LineType::kContinuous};
}
LaneTraits CurveTraits() {
  return {.left = LineType::kContinuous, .right = LineType::kContinuous};
}
LaneTraits ExitTraits() {
  return {.left = LineType::kNone, .right = LineType::kContinuous};
}

Options<RoundaboutConfig> Roundabout::Describe() {
  return DescribeAll<Config, TaskOptions, ObservationOptions, ActionOptions, RoundaboutOptions>();
}

void Roundabout::Check(const Config& config) {
  CheckLaneChanges(config);
  if (config.incoming_vehicle_destination > 2) {
    Refuse("incoming_vehicle_destination", "3", "at most 2 in roundabout");
  }
}

std::vector<PlacedLane> Roundabout::Lanes(const Config&) {
  constexpr double kFar = 170, kCurves = 85, kAmplitude = 5;  // m
  constexpr double kEntry = .2 * kCurves, kExit = kCurves - kEntry, kNear = kCurves / 2;
  constexpr double kPulsation = 2 * kPi / kCurves;
  std::vector<PlacedLane> lanes;
  AddRing(20, 2, &lanes);
  for (int side = 0; side < 4; ++side) {
    const auto at = [side](double x, double y) { return AtSide(side, {x, y}); };
    constexpr double x = 2 + kAmplitude;
    AddAccess(side,
              {Lane::Straight(at(2, kFar), at(2, kNear), EntryTraits()),
               Lane::Sine(at(x, kNear), at(x, kNear - kEntry), kAmplitude, kPulsation, -kPi / 2,
                          CurveTraits()),
               Lane::Sine(at(-x, -kNear + kExit), at(-x, kNear), kAmplitude, kPulsation,
                          -kPi / 2 + kPulsation * kExit, CurveTraits()),
               Lane::Straight(at(-2, kNear), at(-2, kFar), ExitTraits())},
              &lanes);
  }
  return lanes;
}

void Roundabout::Begin(Traffic& traffic, Rng& rng) {
  constexpr double kSpread = 2, kSpeed = 16;  // m, m/s
  constexpr const char* kExits[] = {"exr", "sxr", "nxr"};
  struct Start {
    const char *from, *to;
    int lane;
    double along;
  };
  constexpr Start kOthers[] = {
      {"we", "sx", 1, 5}, {"we", "sx", 0, 20}, {"we", "sx", 0, -20}, {"eer", "ees", 0, 50}};
  const Road& road = traffic.road();
  const Lane& lane = road.lane(road.FindLane("ser", "ses", 0));
  Car ego = traffic.MakeCar(traffic.rules().ego_kind, lane.MiddleAt(125), lane.HeadingAt(140), 8);
  if (ego.follows_lanes()) ego.route = road.Plan(ego.lane, "nxs");
  traffic.AddEgo(ego);
  for (const Start& start : kOthers) {
    const double along = start.along + Normal(rng) * kSpread;
    const double speed = kSpeed + Normal(rng) * kSpread;
    const int number = road.FindLane(start.from, start.to, start.lane);
    Car car = traffic.MakeOnLane(traffic.rules().drivers.kind, number, along, speed);
    int exit = &start == kOthers ? config_.incoming_vehicle_destination : -1;
    if (exit < 0) exit = static_cast<int>(rng.Integers(0, 3));
    car.route = road.Plan(car.lane, kExits[exit]);
    RandomizeDriver(rng, car);
    traffic.cars.push_back(car);
  }
}

}  // namespace parallel_pool::highway
