// Numbers of the reference's rewards, which mix Python's floats with NumPy's float32 and float64.
#pragma once

#include <algorithm>
#include <type_traits>

#include "parallel_pool/core/spec.h"

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

// How far the fingers are told to close, from 0 to 1, in the action's precision.
inline double ClosedPart(View<const AnyFloat> action) {
  return action.Visit([]<class T>(View<const T> numbers) -> double {
    return (std::clamp(numbers[3], T{-1}, T{1}) + T{1}) / T{2};
  });
}

// A funnel above an object: the least height of the hand at a distance from its axis.
double FunnelFloor(double radius, double throat, double slope, double height);

// The fingers' part of a reward: how far an action closes them, up to `effort`. Only a number
// between the bounds has the action's precision; the bounds are Python's.
inline Number Closed(View<const AnyFloat> action, double effort = 1) {
  return action.Visit([effort]<class T>(View<const T> numbers) -> Number {
    const T grip = numbers[3];
    if (grip > static_cast<T>(effort)) return effort;
    if (grip <= 0) return 0;
    if constexpr (std::is_same_v<T, float>) return Number::Float32(grip);
    return Number::Float64(grip);
  });
}

}  // namespace parallel_pool::mujoco::metaworld
