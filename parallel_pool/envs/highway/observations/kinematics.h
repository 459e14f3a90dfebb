// Observations of cars as rows of numbers: highway-env's Kinematics and ExitObservation.
#pragma once

#include <utility>
#include <vector>

#include "parallel_pool/core/random.h"
#include "parallel_pool/envs/highway/observations/features.h"

namespace parallel_pool::highway {

class Kinematics {
 public:
  explicit Kinematics(const ObservationOptions& options);

  // Writes a row of features for each of vehicles_count cars: the ego's, then those nearby. Rows
  // without a car are 0. `lanes` counts the lanes of the ego's road at its first observation.
  void Write(const Traffic& traffic, int ego, int lanes, Rng& rng, float* out);

 private:
  void FindNear(const Traffic& traffic, const Car& ego);
  void AddIfNear(const Traffic& traffic, const Car& ego, const Car& other, bool sees_behind);
  double Finish(const FeatureColumn& column, double value, int lanes) const;
  double OwnValue(const FeatureColumn& column, const Traffic& traffic, const Car& ego) const;

  ObservationOptions options_;
  bool is_exit_, is_sorted_, has_default_range_;
  std::vector<FeatureColumn> columns_;
  std::vector<std::pair<double, const Car*>> near_;  // by distance along the lane
  std::vector<int> order_;                           // of shuffled rows
  std::vector<float> rows_;                          // that are not shuffled yet
};

}  // namespace parallel_pool::highway
