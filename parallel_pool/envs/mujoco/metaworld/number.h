// Numbers of the reference's rewards, which mix Python's floats with NumPy's float32 and float64.
#pragma once

#include <algorithm>

namespace parallel_pool::mujoco::metaworld {

// A number with its precision. A Python number takes that of the number it meets, as in NumPy.
class Number {
 public:
  enum Kind { kPython, kFloat32, kFloat64 };

  Number(double value) : Number(value, kPython) {}  // implicit, as there
  static Number Float32(float value) { return {value, kFloat32}; }
  static Number Float64(double value) { return {value, kFloat64}; }

  double value() const { return value_; }

  friend Number operator+(Number a, Number b) {
    return Compute(a, b, [](auto x, auto y) { return x + y; });
  }
  friend Number operator-(Number a, Number b) {
    return Compute(a, b, [](auto x, auto y) { return x - y; });
  }
  friend Number operator*(Number a, Number b) {
    return Compute(a, b, [](auto x, auto y) { return x * y; });
  }
  friend Number operator/(Number a, Number b) {
    return Compute(a, b, [](auto x, auto y) { return x / y; });
  }
  friend bool operator<(Number a, Number b) { return a.value_ < b.value_; }
  friend bool operator>(Number a, Number b) { return a.value_ > b.value_; }

 private:
  Number(double value, Kind kind) : value_(value), kind_(kind) {}

  template <class F>
  static Number Compute(Number a, Number b, const F& f) {
    const Kind kind = std::max(a.kind_, b.kind_);
    if (kind != kFloat32) return {f(a.value_, b.value_), kind};
    return Float32(f(static_cast<float>(a.value_), static_cast<float>(b.value_)));
  }

  double value_;
  Kind kind_;
};

// The parts of rewards.

// How near x is to the range from `low` to `high`: 1 inside, 0.1 at a distance of `margin`, then
// falling slowly to 0.
double Tolerance(double x, double low, double high, double margin);
// The same, falling fast.
double GaussianTolerance(double x, double low, double high, double margin);

// Hamacher's product of two numbers from 0 to 1: near 1 only if both are.
inline Number Hamacher(Number a, Number b) {
  const Number product = a * b, divisor = a + b - product;
  return divisor > 0 ? a * b / divisor : Number(0);
}

// A funnel above an object: the least height of the hand at a distance from its axis.
double FunnelFloor(double radius, double throat, double slope, double height);

// The fingers' part of a reward: how far an action closes them, up to `effort`. Only a number
// between the bounds has the action's precision; the bounds are Python's.
inline Number Closed(const float* action, double effort = 1) {
  const float grip = action[3];
  if (grip > static_cast<float>(effort)) return effort;
  return grip > 0 ? Number::Float32(grip) : Number(0);
}

}  // namespace parallel_pool::mujoco::metaworld
