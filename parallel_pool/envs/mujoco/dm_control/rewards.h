// dm_control.utils.rewards.tolerance: 1 within bounds, and less the farther a number is outside.
#pragma once

#include <limits>

namespace parallel_pool::mujoco::dm_control {

enum class Sigmoid { kGaussian, kLinear, kLongTail, kQuadratic, kReciprocal };

// The way in which the value falls outside the bounds: to `value` at the distance `margin`. A
// margin of 0 means to 0 at once. Only a linear one may fall to another value than 0.1; a quadratic
// one falls to 0.
struct Falloff {
  double margin = 0;
  Sigmoid sigmoid = Sigmoid::kGaussian;
  double value = 0.1;
};

struct Bounds {
  double low = 0, high = 0;  // both included
};
inline constexpr Bounds AtLeast(double low) {
  return {low, std::numeric_limits<double>::infinity()};
}

// tolerance(x, ...) of a number.
double Tolerance(double x, Bounds bounds, Falloff falloff = {});

// One element of tolerance(x, ...) of an array. NumPy squares arrays by a product and single
// numbers by pow(), which differs in the last bit of one number in a thousand.
double ToleranceOfElement(double x, Bounds bounds, Falloff falloff);

// The mean of tolerance(controls, margin=1, value_at_margin=0, sigmoid='quadratic') of `n` controls
// (at most kMaxControls).
inline constexpr int kMaxControls = 64;
double SmallControl(const double* controls, int n);

}  // namespace parallel_pool::mujoco::dm_control
