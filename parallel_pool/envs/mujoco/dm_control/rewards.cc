#include "parallel_pool/envs/mujoco/dm_control/rewards.h"

#include <cmath>

#include "parallel_pool/core/host.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"

namespace parallel_pool::mujoco::dm_control {
namespace {

double Product(double x) {
  return x * x;
}

// The value at `d` margins from the bounds.
double Fall(double d, const Falloff& falloff, double (*square)(double)) {
  constexpr double kGaussianScale = 0x1.12af03c69eb28p+1;  // sqrt(-2 log(0.1))
  constexpr double kLongTailScale = 3;                     // sqrt(1 / 0.1 - 1)
  constexpr double kReciprocalScale = 9;                   // 1 / 0.1 - 1
  switch (falloff.sigmoid) {
    case Sigmoid::kGaussian:
      return NumpyArithmetic().exp(-0.5 * square(d * kGaussianScale));
    case Sigmoid::kLinear: {
      const double scaled = d * (1 - falloff.value);
      return std::abs(scaled) < 1 ? 1 - scaled : 0;
    }
    case Sigmoid::kLongTail:
      return 1 / (square(d * kLongTailScale) + 1);
    case Sigmoid::kQuadratic:
      return std::abs(d) < 1 ? 1 - square(d) : 0;
    case Sigmoid::kReciprocal:
      return 1 / (std::abs(d) * kReciprocalScale + 1);
  }
  return 0;
}

double Value(double x, const Bounds& bounds, const Falloff& falloff, double (*square)(double)) {
  if (bounds.low <= x && x <= bounds.high) return 1;
  if (falloff.margin == 0) return 0;
  const double distance = x < bounds.low ? bounds.low - x : x - bounds.high;
  return Fall(distance / falloff.margin, falloff, square);
}

}  // namespace

double Tolerance(double x, Bounds bounds, Falloff falloff) {
  return Value(x, bounds, falloff, &Square);
}

double ToleranceOfElement(double x, Bounds bounds, Falloff falloff) {
  return Value(x, bounds, falloff, &Product);
}

double SmallControl(const double* controls, int n) {
  double values[kMaxControls];
  for (int i = 0; i < n; ++i) {
    values[i] = ToleranceOfElement(controls[i], {}, {.margin = 1, .sigmoid = Sigmoid::kQuadratic});
  }
  return Sum(values, n) / n;
}

}  // namespace parallel_pool::mujoco::dm_control
