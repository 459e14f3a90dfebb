#include "parallel_pool/envs/highway/observations/features.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace parallel_pool::highway {
namespace {

// In the order of Feature.
constexpr const char* kNames[] = {"presence", "x",       "y",       "vx",     "vy",
                                  "heading",  "cos_h",   "sin_h",   "cos_d",  "sin_d",
                                  "long_off", "lat_off", "ang_off", "on_road"};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The feature of this name; the end of kNames if there is none.
Feature FeatureOf(const std::string& name) {
  return static_cast<Feature>(std::ranges::find(kNames, name) - std::begin(kNames));
}

void CheckName(const std::string& option, const std::string& name, size_t allowed) {
  if (static_cast<size_t>(FeatureOf(name)) < allowed) return;
  std::string all;
  for (size_t i = 0; i < allowed; ++i) all += (i == 0 ? "" : ", ") + std::string(kNames[i]);
  Refuse(option, "'" + name + "'", "one of " + all);
}

// The direction of the way to the end of the route.
Point DirectionToGoal(const Traffic& traffic, const Car& car) {
  if (car.route.empty()) return {0, 0};
  const RouteStep last = car.route.back();
  const int place = last.number == kAnyLane ? 0 : last.number;
  const Lane& lane = traffic.road().lane(traffic.road().section(last.section).first_lane + place);
  const Point way = lane.MiddleAt(lane.length()) - car.position;
  if (way == Point{0, 0}) return {0, 0};
  const double norm = Norm(way);
  return {way.x / norm, way.y / norm};
}

}  // namespace

std::vector<FeatureColumn> ColumnsOf(const ObservationOptions& options) {
  std::vector<FeatureColumn> columns;
  const auto& ranges = options.features_range.map();
  for (const std::string& name : NamesOf(options.features)) {
    FeatureColumn& column = columns.emplace_back(FeatureColumn{FeatureOf(name)});
    const auto range = ranges.find(name);
    if (range == ranges.end()) continue;
    column.has_range = true;
    column.low = range->second[0];
    column.high = range->second[1];
  }
  return columns;
}

void CheckFeatures(const ObservationOptions& options) {
  const bool is_grid = options.type == "OccupancyGrid";
  const std::vector<std::string> names = NamesOf(options.features);
  if (names.empty()) Refuse("observation.features", "empty", "a list of names");
  for (const std::string& name : names) {
    CheckName("observation.features", name, std::size(kNames) - (is_grid ? 0 : 1));
  }
  for (const auto& [name, range] : options.features_range.map()) {
    CheckName("observation.features_range", name, std::size(kNames) - 1);
    if (range[0] == range[1]) Refuse("observation.features_range", name, "two different numbers");
  }
}

double ValueOf(Feature feature, const Traffic& traffic, const Car& car, bool has_intentions) {
  switch (feature) {
    case Feature::kPresence:
      return 1;
    case Feature::kX:
      return car.position.x;
    case Feature::kY:
      return car.position.y;
    case Feature::kVx:
      return car.is_car() ? car.velocity().x : 0;
    case Feature::kVy:
      return car.is_car() ? car.velocity().y : 0;
    case Feature::kCosH:
      return car.direction.x;
    case Feature::kSinH:
      return car.direction.y;
    case Feature::kCosD:
      return has_intentions ? DirectionToGoal(traffic, car).x : 0;
    case Feature::kSinD:
      return has_intentions ? DirectionToGoal(traffic, car).y : 0;
    default:
      break;
  }
  if (!car.is_car()) return kNan;
  if (feature == Feature::kHeading) return car.heading;
  const Lane& lane = traffic.LaneOf(car);
  const LanePoint p = lane.Locate(car.position);
  if (feature == Feature::kLongOff) return p.along;
  if (feature == Feature::kLatOff) return p.across;
  return WrapToPi(car.heading - lane.HeadingAt(p.along));
}

double ValueFrom(Feature feature, const Traffic& traffic, const Car& car, const Car& origin,
                 bool has_intentions) {
  const double value = ValueOf(feature, traffic, car, has_intentions);
  if (feature < Feature::kX || feature > Feature::kVy) return value;
  return value - ValueOf(feature, traffic, origin, has_intentions);
}

}  // namespace parallel_pool::highway
