#include "parallel_pool/envs/highway/observations/occupancy_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parallel_pool::highway {
namespace {

constexpr double kSpeedRange = 2 * 40.0;  // m/s
constexpr double kRoadSight = 100;        // m along each lane

}  // namespace

OccupancyGrid::OccupancyGrid(const ObservationOptions& options)
    : options_(options), columns_(ColumnsOf(options)) {
  const std::vector<int32_t> shape = ShapeOf(options);
  rows_ = shape[1];
  cell_columns_ = shape[2];
  grid_.resize(static_cast<size_t>(shape[0]) * rows_ * cell_columns_);
  double largest = 0;
  for (const double limit : options.grid_size) largest = std::max(largest, std::abs(limit));
  reach_ = 1.5 * largest;  // more than the diagonal
  if (!options.features_range.map().empty()) return;
  for (FeatureColumn& column : columns_) {
    column.has_range = column.feature == Feature::kVx || column.feature == Feature::kVy;
    column.high = kSpeedRange;
    column.low = -kSpeedRange;
  }
}

std::vector<int32_t> OccupancyGrid::ShapeOf(const ObservationOptions& options) {
  std::vector<int32_t> shape = {static_cast<int32_t>(NamesOf(options.features).size())};
  for (int axis = 0; axis < 2; ++axis) {
    const double size = options.grid_size[2 * axis + 1] - options.grid_size[2 * axis];
    shape.push_back(static_cast<int32_t>(std::floor(size / options.grid_step[axis])));
  }
  return shape;
}

int OccupancyGrid::CellAt(const Car& ego, Point place) const {
  if (options_.align_to_vehicle_axes) place = TurnedBack(ego.direction, place);
  const double row = std::floor((place.x - options_.grid_size[0]) / options_.grid_step[0]);
  const double column = std::floor((place.y - options_.grid_size[2]) / options_.grid_step[1]);
  if (!(0 <= row && row < rows_ && 0 <= column && column < cell_columns_)) return -1;
  return static_cast<int>(row) * cell_columns_ + static_cast<int>(column);
}

void OccupancyGrid::FillCars(const Traffic& traffic, const Car& ego, const FeatureColumn& column,
                             double* layer) {
  const auto& ranges = options_.features_range.map();
  // The reference finds the place again from the normalized feature.
  const auto place_of = [&](Feature feature, const char* name, const Car& car) {
    const double place = ValueFrom(feature, traffic, car, ego, true);
    const auto range = ranges.find(name);
    if (range == ranges.end()) return place;
    const auto [low, high] = range->second;
    return LinearMap(LinearMap(place, low, high, -1, 1), -1, 1, low, high);
  };
  for (size_t i = traffic.cars.size(); i-- > 0;) {
    const Car& car = traffic.cars[i];
    const int cell =
        CellAt(ego, {place_of(Feature::kX, "x", car), place_of(Feature::kY, "y", car)});
    if (cell < 0) continue;
    layer[cell] = column.Normalize(ValueFrom(column.feature, traffic, car, ego, true));
  }
}

void OccupancyGrid::FillRoad(const Traffic& traffic, const Car& ego, double* layer) const {
  const double spacing = std::min(options_.grid_step[0], options_.grid_step[1]);
  const Road& road = traffic.road();
  for (int i = 0; i < road.num_lanes(); ++i) {
    const Lane& lane = road.lane(i);
    const double middle = lane.Locate(ego.position).along;
    const double begin = middle - kRoadSight, end = middle + kRoadSight;
    const double step = (begin + spacing) - begin;  // as numpy.arange computes it
    const int points = static_cast<int>(std::ceil((end - begin) / spacing));
    double last = std::numeric_limits<double>::quiet_NaN();
    for (int k = 0; k < points; ++k) {
      const double along = Clip(begin + k * step, 0, lane.length());
      if (along == last) continue;
      last = along;
      const Point place = lane.MiddleAt(along) - ego.position;
      if (std::abs(place.x) > reach_ || std::abs(place.y) > reach_) continue;
      const int cell = CellAt(ego, place);
      if (cell >= 0) layer[cell] = 1;
    }
  }
}

void OccupancyGrid::Fill(const Traffic& traffic, const Car& ego) {
  std::ranges::fill(grid_, std::numeric_limits<double>::quiet_NaN());
  double* layer = grid_.data();
  for (const FeatureColumn& column : columns_) {
    if (column.feature == Feature::kOnRoad) {
      FillRoad(traffic, ego, layer);
    } else {
      FillCars(traffic, ego, column, layer);
    }
    layer += rows_ * cell_columns_;
  }
}

void OccupancyGrid::Write(const Traffic& traffic, int ego, float* out) {
  Fill(traffic, traffic.ego(ego));
  for (const double value : grid_) {
    const double shown = options_.clip ? Clip(value, -1, 1) : value;
    *out++ = std::isnan(shown) ? 0 : static_cast<float>(shown);
  }
}

void OccupancyGrid::WriteImage(const Traffic& traffic, int ego, uint8_t* out) {
  Fill(traffic, traffic.ego(ego));
  for (const double value : grid_) {
    const double shown = (Clip(value, -1, 1) + 1) / 2 * 255;
    *out++ = std::isnan(shown) ? 0 : static_cast<uint8_t>(shown);
  }
}

}  // namespace parallel_pool::highway
