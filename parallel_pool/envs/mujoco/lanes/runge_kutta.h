// How the velocities of free joints enter the Runge-Kutta method of MuJoCo 4.
#pragma once

#include <cmath>

#include "parallel_pool/envs/mujoco/lanes/world.h"

namespace parallel_pool::mujoco::lanes {

// The coefficient c of u x (u x v) in FollowTurn, for a turn of |u|^2 = `square`. It is
// (1 - |u| / 2 / tan(|u| / 2)) / |u|^2, and its series where that would lose digits.
template <class V>
double TurnCoefficient(double square) {
  constexpr double kMostOfSeries = 3.0625;  // 1.75^2
  constexpr double kSeries[] = {
      1.230313397310169e-14, 3.161551550077822e-13,  1.3455485951057888e-11,
      5.282849430384459e-10, 2.0876900642039142e-08, 8.267194907152073e-07,
      3.30687830944332e-05,  0.0013888888888859755,  0.08333333333333338};  // highest power first
  if (square < kMostOfSeries) {
    double sum = kSeries[0];
    for (int i = 1; i < 9; ++i) sum = square * sum + kSeries[i];
    return sum;
  }
  const double half = 0.5 * std::sqrt(square);
  return (1 - half / std::tan(half)) / square;
}

// The angular velocity v of a frame, as the change of a vector of rotation: after a turn by
// u = `turn` * `time`, it is v + u x v / 2 + c u x (u x v).
template <class V>
void FollowTurn(const V* turn, double time, V* velocity) {
  constexpr double kPi = 3.141592653589793, kPiSquared = 9.869604401089358;
  const V turned[3] = {turn[0] * time, turn[1] * time, turn[2] * time};
  for (int k = 0; k < kLanesOf<V>; ++k) {
    double x = At(turned[0], k), y = At(turned[1], k), z = At(turned[2], k);
    double square = z * z + (x * x + y * y);
    if (square > kPiSquared) {  // without whole turns
      const double angle = std::sqrt(square);
      const double turns = std::floor(angle / (2 * kPi) + 0.5);
      const double scale = (turns * (-2 * kPi) + angle) / angle;
      x *= scale;
      y *= scale;
      z *= scale;
      square = z * z + (x * x + y * y);
    }
    const double c = TurnCoefficient<V>(square);
    const double a = At(velocity[0], k), b = At(velocity[1], k), d = At(velocity[2], k);
    const double cross[3] = {y * d - z * b, z * a - x * d, x * b - y * a};
    const double twice[3] = {y * cross[2] - z * cross[1], z * cross[0] - x * cross[2],
                             x * cross[1] - y * cross[0]};
    for (int i = 0; i < 3; ++i) {
      const double half = At(velocity[i], k) + 0.5 * cross[i];
      At(velocity[i], k) = half + c * twice[i];
    }
  }
}

}  // namespace parallel_pool::mujoco::lanes
