// The features of a car that observations show.
#pragma once

#include <string>
#include <vector>

#include "parallel_pool/envs/highway/options.h"
#include "parallel_pool/envs/highway/traffic.h"

namespace parallel_pool::highway {

enum class Feature : uint8_t {
  kPresence,
  kX,
  kY,
  kVx,
  kVy,
  kHeading,
  kCosH,  // the direction of the heading
  kSinH,
  kCosD,  // the direction to the end of the route
  kSinD,
  kLongOff,  // the place in the lane, and the angle to it
  kLatOff,
  kAngOff,
  kOnRoad,  // of grids: no feature of a car
};

// A feature, and its numbers that become -1 and 1, if it has such.
struct FeatureColumn {
  Feature feature;
  bool has_range = false;
  double low = 0, high = 0;

  double Normalize(double x) const { return has_range ? LinearMap(x, low, high, -1, 1) : x; }
};

// The features of the option, with the ranges of features_range.
std::vector<FeatureColumn> ColumnsOf(const ObservationOptions& options);
// Throws std::invalid_argument if there are wrong names, or none.
void CheckFeatures(const ObservationOptions& options);

// A feature of a car; nan if it is of a thing, which has no such feature. Features of intentions
// are 0 unless `has_intentions`.
double ValueOf(Feature feature, const Traffic& traffic, const Car& car, bool has_intentions);
// The same as seen from `origin`: only its place and velocity differ.
double ValueFrom(Feature feature, const Traffic& traffic, const Car& car, const Car& origin,
                 bool has_intentions);

}  // namespace parallel_pool::highway
