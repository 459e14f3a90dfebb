#include "parallel_pool/envs/highway/observations/kinematics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace parallel_pool::highway {
namespace {

constexpr double kSight = 200;                                    // m
constexpr double kBehind = -2 * kCarLength;                       // m
constexpr double kPlaceRange = 5.0 * 40, kSpeedRange = 2 * 40.0;  // m, m/s

}  // namespace

Kinematics::Kinematics(const ObservationOptions& options)
    : options_(options),
      is_exit_(options.type == "ExitObservation"),
      is_sorted_(is_exit_ || options.order == "sorted"),
      has_default_range_(options.features_range.map().empty()),
      columns_(ColumnsOf(options)) {
  near_.reserve(options.vehicles_count);
  order_.resize(options.vehicles_count - 1);
  rows_.resize(order_.size() * columns_.size());
  if (!has_default_range_) return;
  for (FeatureColumn& column : columns_) {
    column.has_range = column.feature >= Feature::kX && column.feature <= Feature::kVy;
    column.high = column.feature == Feature::kX ? kPlaceRange : kSpeedRange;
    column.low = -column.high;
  }
}

void Kinematics::AddIfNear(const Traffic& traffic, const Car& ego, const Car& other,
                           bool sees_behind) {
  const Point apart = other.position - ego.position;
  if (&other == &ego || std::abs(apart.x) >= kSight || !(Norm(apart) < kSight)) return;
  const double gap = traffic.GapBetween(ego, other);
  if (!sees_behind && !(kBehind < gap)) return;
  const size_t most = order_.size();
  if (!is_sorted_) {
    if (near_.size() < most) near_.emplace_back(0, &other);
    return;
  }
  const double distance = std::abs(gap);
  if (near_.size() == most) {
    if (!(distance < near_.back().first)) return;
    near_.pop_back();
  }
  const auto place = std::upper_bound(near_.begin(), near_.end(), distance,
                                      [](double d, const auto& other) { return d < other.first; });
  near_.insert(place, {distance, &other});
}

void Kinematics::FindNear(const Traffic& traffic, const Car& ego) {
  near_.clear();
  for (const Car& car : traffic.cars) AddIfNear(traffic, ego, car, options_.see_behind);
  if (is_exit_ || !options_.include_obstacles) return;
  for (const Car& thing : traffic.things) AddIfNear(traffic, ego, thing, false);
}

double Kinematics::Finish(const FeatureColumn& column, double value, int lanes) const {
  if (!options_.normalize || !column.has_range) return value;
  if (has_default_range_ && column.feature == Feature::kY) {
    const double range = kLaneWidth * lanes;
    value = LinearMap(value, -range, range, -1, 1);
  } else {
    value = column.Normalize(value);
  }
  return options_.clip ? Clip(value, -1, 1) : value;
}

double Kinematics::OwnValue(const FeatureColumn& column, const Traffic& traffic,
                            const Car& ego) const {
  if (is_exit_ && column.feature == Feature::kX) {
    // In the lane that leads to the exit.
    const Road& road = traffic.road();
    const Road::Section& section = road.section(road.FindSection("1", "2"));
    return road.lane(section.first_lane + section.lanes - 1).Locate(ego.position).along;
  }
  return ValueOf(column.feature, traffic, ego, true);
}

void Kinematics::Write(const Traffic& traffic, int ego_number, int lanes, Rng& rng, float* out) {
  const Car& ego = traffic.ego(ego_number);
  const size_t width = columns_.size();
  for (const FeatureColumn& column : columns_) {
    *out++ = static_cast<float>(Finish(column, OwnValue(column, traffic, ego), lanes));
  }
  FindNear(traffic, ego);
  float* number = rows_.data();
  for (const auto& [distance, car] : near_) {
    for (const FeatureColumn& column : columns_) {
      const bool intends = options_.observe_intentions;
      const double value = options_.absolute
                               ? ValueOf(column.feature, traffic, *car, intends)
                               : ValueFrom(column.feature, traffic, *car, ego, intends);
      *number++ = static_cast<float>(Finish(column, value, lanes));
    }
  }
  std::fill(number, rows_.data() + rows_.size(), 0.0f);
  std::iota(order_.begin(), order_.end(), 0);
  if (options_.order == "shuffled") rng.Shuffle(std::span(order_));
  for (const int row : order_) out = std::copy_n(rows_.data() + row * width, width, out);
}

}  // namespace parallel_pool::highway
