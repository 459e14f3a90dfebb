// Cubic B-splines with mirrored ends, as scipy.ndimage 1.17 computes them (M. Unser, "Splines: a
// perfect fit for signal and image processing", 1999). All operations are in SciPy's order, because
// another order gives other last bits.
#include "parallel_pool/envs/mujoco/dm_control/terrain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <vector>

namespace parallel_pool::mujoco::dm_control {
namespace {

constexpr int kLast = kBumps - 1;
constexpr int kTaps = 4;  // coefficients that a value of a cubic spline depends on

// Turns kBumps values, which are `stride` apart, into the coefficients of the spline through them:
// a recursive filter, first forwards and then backwards.
void FindCoefficients(double* values, int stride) {
  constexpr double kPole = -0.267949192431122706472553658494127633;  // sqrt(3) - 2
  constexpr double kGain = (1 - kPole) * (1 - 1 / kPole);
  std::array<double, kBumps> c;
  for (int i = 0; i < kBumps; ++i) c[i] = values[i * stride] * kGain;
  const double far = std::pow(kPole, kLast);
  double weight = kPole, first = c[0] + far * c[kLast];
  for (int i = 1; i < kLast; ++i) {
    first += weight * (c[i] + far * c[kLast - i]);
    weight *= kPole;
  }
  c[0] = first / (1 - far * far);
  for (int i = 1; i < kBumps; ++i) c[i] += kPole * c[i - 1];
  c[kLast] = (kPole * c[kLast - 1] + c[kLast]) * kPole / (kPole * kPole - 1);
  for (int i = kLast - 1; i >= 0; --i) c[i] = kPole * (c[i + 1] - c[i]);
  for (int i = 0; i < kBumps; ++i) values[i * stride] = c[i];
}

// The coefficients from `first` on whose weighted sum is the spline's value at a point.
struct Taps {
  int first = 0;  // -1: one mirrored coefficient before the others
  std::array<double, kTaps> weights{};
};

Taps TapsAt(double x) {
  const double y = x - std::floor(x), z = 1 - y;
  Taps taps = {static_cast<int>(std::floor(x)) - 1,
               {z * z * z / 6, (y * y * (y - 2) * 3 + 4) / 6, (z * z * (z - 2) * 3 + 4) / 6, 1}};
  for (int i = 0; i < kTaps - 1; ++i) taps.weights[kTaps - 1] -= taps.weights[i];
  return taps;
}

// The numbers that are the same for all terrains.
struct Tables {
  Tables() : bowl(kTerrainPoints * kTerrainPoints) {
    std::array<double, kTerrainPoints> squares;
    for (int i = 0; i < kTerrainPoints; ++i) {
      taps[i] = TapsAt(static_cast<double>(kLast) / (kTerrainPoints - 1) * i);
      const double x = i * (2.0 / (kTerrainPoints - 1)) - 1;
      squares[i] = x * x;
    }
    double* next = bowl.data();
    for (const double row : squares) {
      for (const double column : squares) {
        const double radius = std::clamp(std::sqrt(column + row), .04, 1.0);
        *next++ = .5 - std::cos(2 * std::numbers::pi * radius) / 2;
      }
    }
  }

  std::array<Taps, kTerrainPoints> taps;
  std::vector<double> bowl;
};

// An index beyond the ends, mirrored at the first or the last coefficient.
int Mirrored(int i) {
  return kLast - std::abs(kLast - std::abs(i));
}

}  // namespace

void FillTerrain(const double* bumps, float* heights) {
  static const Tables tables;
  double grid[kBumps][kBumps];
  std::copy_n(bumps, kBumps * kBumps, grid[0]);
  for (int i = 0; i < kBumps; ++i) FindCoefficients(grid[0] + i, kBumps);
  for (int i = 0; i < kBumps; ++i) FindCoefficients(grid[i], 1);
  const double* bowl = tables.bowl.data();
  for (const Taps& row : tables.taps) {
    // The rows for this row of points, times their weights, with mirrored ends.
    double lines[kTaps][1 + kBumps + 2];
    for (int k = 0; k < kTaps; ++k) {
      const double* const from = grid[Mirrored(row.first + k)];
      for (int i = -1; i <= kLast + 2; ++i) lines[k][i + 1] = from[Mirrored(i)] * row.weights[k];
    }
    for (const Taps& column : tables.taps) {
      double sum = 0;
      for (const double* const line : lines) {
        const double* const c = line + column.first + 1;
        for (int i = 0; i < kTaps; ++i) sum += c[i] * column.weights[i];
      }
      *heights++ = static_cast<float>(*bowl++ * sum);
    }
  }
}

}  // namespace parallel_pool::mujoco::dm_control
