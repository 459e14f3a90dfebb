// Observations of distances by rays: highway-env's LidarObservation.
#pragma once

#include <array>

#include "parallel_pool/envs/highway/traffic.h"

namespace parallel_pool::highway {

class Lidar {
 public:
  Lidar(int cells, double maximum_range, bool normalize)
      : cells_(cells), range_(maximum_range), normalize_(normalize), angle_(2 * kPi / cells) {}

  // Writes for each cell the distance of what is there, and its speed away from the ego.
  void Write(const Traffic& traffic, int ego, float* out) const;

 private:
  int CellOf(double angle) const;
  Point DirectionAt(int cell) const { return DirectionOf(cell * angle_); }
  void AddBox(const Car& ego, const Car& other, float* out) const;
  void Mark(int cell, double distance, const Car& ego, const Car& other, float* out) const;

  int cells_;
  double range_;
  bool normalize_;
  double angle_;  // of a cell
};

}  // namespace parallel_pool::highway
