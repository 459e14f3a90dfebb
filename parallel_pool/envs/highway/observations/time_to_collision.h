// Observations of when an ego would collide, at each of its speeds, in each lane: highway-env's
// TimeToCollision.
#pragma once

#include <vector>

#include "parallel_pool/envs/highway/traffic.h"

namespace parallel_pool::highway {

class TimeToCollision {
 public:
  // `most_lanes`: of a section.
  TimeToCollision(int horizon, int policy_frequency, int speeds, int most_lanes);

  // The shape: speeds, lanes, times.
  static constexpr int kSpeeds = 3, kLanes = 3;
  static int TimesOf(int horizon, int policy_frequency);

  // Writes the speeds and lanes around the ego's own. Lanes beyond the road are 1.
  void Write(const Traffic& traffic, int ego, float* out);

 private:
  void Fill(const Traffic& traffic, const Car& ego);
  // Adds a car to the grid for one of the ego's speeds.
  void AddCar(const Traffic& traffic, const Car& ego, const Car& other, int speed_index);
  double& cell(int speed, int lane, int time) {
    return grid_[(speed * lanes_ + lane) * times_ + time];
  }

  const int times_, speeds_;
  const double quantum_;  // s of a cell
  int lanes_ = 0;
  std::vector<double> grid_;
};

}  // namespace parallel_pool::highway
