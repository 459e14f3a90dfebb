// The arithmetic of highway-env: NumPy's functions of float64, and the helpers of its utils.
#pragma once

#include <algorithm>
#include <cmath>

#include "parallel_pool/core/host.h"

namespace parallel_pool::highway {

inline constexpr double kPi = 3.14159265358979323846;

inline double Sin(double x) {
  return NumpyArithmetic().sin(x);
}
inline double Cos(double x) {
  return NumpyArithmetic().cos(x);
}
inline double Exp(double x) {
  return NumpyArithmetic().exp(x);
}
inline double Arctan2(double y, double x) {
  return NumpyArithmetic().arctan2(y, x);
}
inline double Tan(double x) {
  return NumpyArithmetic().tan(x);
}
inline double Arcsin(double x) {
  return NumpyArithmetic().arcsin(x);
}
inline double Arctan(double x) {
  return NumpyArithmetic().arctan(x);
}
inline double Power(double x, double exponent) {
  return NumpyArithmetic().power(x, exponent);
}

// Python's x ** 2, which is C's pow. NumPy's power(x, 2) is x * x.
inline double PythonSquare(double x) {
  volatile double two = 2;  // a compiler would replace the exponent 2 by a multiplication
  return std::pow(x, two);
}

// A place or a direction in the plane: x to the east, y to the south of pictures (m).
struct Point {
  double x, y;

  Point operator+(const Point& o) const { return {x + o.x, y + o.y}; }
  Point operator-(const Point& o) const { return {x - o.x, y - o.y}; }
  Point operator-() const { return {-x, -y}; }
  bool operator==(const Point&) const = default;
};
inline Point operator*(double factor, const Point& p) {
  return {factor * p.x, factor * p.y};
}

// numpy.dot and numpy.linalg.norm
inline double Dot(const Point& a, const Point& b) {
  const double first = a.x * b.x;
  if (NumpyArithmetic().fuses_dot) [[unlikely]] {
    return std::fma(a.y, b.y, first);
  }
  return first + a.y * b.y;
}
inline double Norm(const Point& p) {
  return std::sqrt(Dot(p, p));
}

// The direction of an angle.
inline Point DirectionOf(double angle) {
  return {Cos(angle), Sin(angle)};
}

// numpy.matmul of a matrix, which turns by the angle of `direction`, and one vector.
inline Point Turned(const Point& direction, const Point& p) {
  const double matrix[] = {direction.x, -direction.y, direction.y, direction.x}, v[] = {p.x, p.y};
  double out[2];
  NumpyArithmetic().matmul(matrix, v, 2, 2, out);
  return {out[0], out[1]};
}
// The same with the matrix that turns back.
inline Point TurnedBack(const Point& direction, const Point& p) {
  return Turned({direction.x, -direction.y}, p);
}

// numpy.clip
inline double Clip(double x, double low, double high) {
  const double raised = x < low ? low : x;
  return raised > high ? high : raised;
}

// Python's x % (2 pi).
inline double ModTwoPi(double x) {
  constexpr double kTurn = 2 * kPi;
  if (x >= 0 && x < kTurn) return x;
  const double rest = std::fmod(x, kTurn);
  return rest < 0 ? rest + kTurn : std::abs(rest);
}

// The angle in -pi .. pi.
inline double WrapToPi(double angle) {
  return ModTwoPi(angle + kPi) - kPi;
}

// x, or a number of its sign that is far enough from zero to divide by.
inline double NotZero(double x) {
  constexpr double kLeast = 1e-2;
  if (std::abs(x) > kLeast) return x;
  return x >= 0 ? kLeast : -kLeast;
}

// Maps a .. b to c .. d, linearly.
inline double LinearMap(double x, double a, double b, double c, double d) {
  return c + (x - a) * (d - c) / (b - a);
}

// numpy.deg2rad
inline double Radians(double degrees) {
  return degrees * (kPi / 180);
}

}  // namespace parallel_pool::highway
