// The actions of players, as the cars of the egos take them.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/highway/ego.h"
#include "parallel_pool/envs/highway/options.h"

namespace parallel_pool::highway {

// One of two arrays, by the kind of actions.
struct ActionViews {
  View<const int32_t> choice;
  View<const AnyFloat> numbers;
};

// The action of the last step, for rewards. Before the first step of an episode there is none.
struct Decision {
  int choice = -1;              // of a single player, if actions are integers
  std::vector<double> numbers;  // of all players, if they are continuous
  bool is_double = false;       // they have been float64, not float32

  bool changes_lane() const;
  double Norm() const;  // numpy.linalg.norm
};

class Controls {
 public:
  Controls(const ActionOptions& options, int players);

  static Space SpaceOf(const ActionOptions& options);

  // Lets the egos act.
  void Apply(const ActionViews& action, Traffic& traffic);
  const Decision& decision() const { return decision_; }
  void Begin();

 private:
  void ApplyNumbers(const double* numbers, bool is_double, Car& car) const;
  // The number of a discrete action in one of its axes.
  double AxisValue(int choice) const;

  const ActionOptions options_;
  const int players_;
  std::vector<EgoAction> meanings_;  // of DiscreteMetaAction
  Decision decision_;
};

}  // namespace parallel_pool::highway
