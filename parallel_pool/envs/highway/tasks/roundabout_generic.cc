#include "parallel_pool/envs/highway/tasks/roundabout_generic.h"

#include <algorithm>

#include "parallel_pool/core/normal.h"
#include "parallel_pool/envs/highway/driver.h"
#include "parallel_pool/envs/highway/tasks/merge.h"

namespace parallel_pool::highway {

Options<RoundaboutGenericOptions> RoundaboutGenericOptions::Describe() {
  using T = RoundaboutGenericOptions;
  return {
      Option<&T::roundabout_radius>("roundabout_radius", "of the innermost lane (m)",
                                    {.min = 1, .max = 1e5}),
      Option<&T::roundabout_lanes>("roundabout_lanes", "lanes of the ring", {.min = 1, .max = 100}),
      Option<&T::vehicles_count>("vehicles_count", "other cars, if there is room",
                                 {.min = 0, .max = 10000})};
}

Options<RoundaboutGenericConfig> RoundaboutGeneric::Describe() {
  return DescribeAll<Config, TaskOptions, ObservationOptions, ActionOptions, RoundaboutOptions,
                     RoundaboutGenericOptions>();
}

void RoundaboutGeneric::Check(const Config& config) {
  CheckLaneChanges(config);
}

TrafficRules RoundaboutGeneric::Rules(const Config& config) {
  return RulesOf(config, config, 1 + config.RoundaboutGenericOptions::vehicles_count);
}

std::vector<PlacedLane> RoundaboutGeneric::Lanes(const Config& config) {
  constexpr double kAngle = 24;                     // degrees from a side to its entry and its exit
  constexpr double kMiddles[] = {90, 0, -90, 180};  // of the sides
  const double radius = config.roundabout_radius + 4.0 * (config.roundabout_lanes - 1);
  const double curves = std::max(100.0, 2 * radius + 40.0), near = curves / 2, far = curves + 40.0;
  std::vector<PlacedLane> lanes;
  AddRing(config.roundabout_radius, config.roundabout_lanes, &lanes);
  for (int side = 0; side < 4; ++side) {
    const auto at = [side](double x, double y) { return AtSide(side, {x, y}); };
    // Where the ring begins and ends, as if this side were in the south.
    const auto on_ring = [&](double degrees) {
      const Point way = DirectionOf(Radians(degrees));
      return InSouth(side, {radius * way.x, radius * way.y});
    };
    const bool is_west = kSides[side] == 'w';
    const Point in = on_ring(kMiddles[side] - kAngle);
    const Point out = on_ring(is_west ? -180 + kAngle : kMiddles[side] + kAngle);
    const double in_bend = (in.x - 2) / 2, out_bend = (out.x + 2) / 2;
    AddAccess(side,
              {Lane::Straight(at(2, far), at(2, near), EntryTraits()),
               Lane::Sine(at(2 + in_bend, near), at(2 + in_bend, in.y), in_bend,
                          kPi / (near - in.y), -kPi / 2, CurveTraits()),
               Lane::Sine(at(out.x - out_bend, out.y), at(out.x - out_bend, near), out_bend,
                          kPi / (near - out.y), -kPi / 2, CurveTraits()),
               Lane::Straight(at(-2, near), at(-2, far), ExitTraits())},
              &lanes);
  }
  return lanes;
}

RoundaboutGeneric::RoundaboutGeneric(const Config& config) : config_(config) {
  taken_.reserve(1 + config.RoundaboutGenericOptions::vehicles_count);
}

void RoundaboutGeneric::AddDriver(Traffic& traffic, Rng& rng) {
  struct Start { const char *from, *to; };
  constexpr Start kStarts[] = {{"we", "sx"},   {"sx", "se"},   {"ee", "nx"},  {"nx", "ne"},
                               {"eer", "ees"}, {"ner", "nes"}, {"wer", "wes"}};
  constexpr const char* kExits[] = {"exr", "sxr", "nxr", "wxr"};
  constexpr int kTries = 10;
  constexpr double kSafe = 7, kFromEnd = 5;        // m
  constexpr double kSpeed = 14, kSpeedSpread = 2;  // m/s
  const Road& road = traffic.road();
  for (int i = 0; i < kTries; ++i) {
    const Start& start = kStarts[rng.Integers(0, std::size(kStarts))];
    const Road::Section& section = road.section(road.FindSection(start.from, start.to));
    const int number = section.first_lane + static_cast<int>(rng.Integers(0, section.lanes));
    const Lane& lane = road.lane(number);
    const double along = rng.Uniform(kFromEnd, std::max(kFromEnd, lane.length() - kFromEnd));
    const Point place = lane.MiddleAt(along);
    const bool is_free = std::ranges::none_of(
        taken_, [&](const Point& other) { return Norm(place - other) < kSafe; });
    if (!is_free) continue;
    const double speed = kSpeed + Normal(rng) * kSpeedSpread;
    Car car = traffic.MakeOnLane(traffic.rules().drivers.kind, number, along, speed);
    int exit = config_.incoming_vehicle_destination;
    if (exit < 0) exit = static_cast<int>(rng.Integers(0, std::size(kExits)));
    car.route = road.Plan(car.lane, kExits[exit]);
    RandomizeDriver(rng, car);
    traffic.cars.push_back(car);
    taken_.push_back(place);
    return;
  }
}

void RoundaboutGeneric::Begin(Traffic& traffic, Rng& rng) {
  const Road& road = traffic.road();
  const int number = road.FindLane("ser", "ses", 0);
  const double along = road.lane(number).length() - 2.5;
  Car ego = traffic.MakeOnLane(traffic.rules().ego_kind, number, along, 8);
  if (ego.follows_lanes()) ego.route = road.Plan(ego.lane, "nxs");
  traffic.AddEgo(ego);
  taken_.assign(1, road.lane(number).MiddleAt(along));
  for (int i = 0; i < config_.RoundaboutGenericOptions::vehicles_count; ++i) {
    AddDriver(traffic, rng);
  }
}

}  // namespace parallel_pool::highway
