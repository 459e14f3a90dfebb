// The ground that the walker walks on, drawn at each reset.
#pragma once

#include <array>
#include <tuple>
#include <vector>

#include "parallel_pool/core/random.h"

namespace parallel_pool::box2d {

struct Terrain {
  static constexpr double kScale = 30.0;               // pixels of the picture per m
  static constexpr double kStep = 14 / kScale;         // m from point to point
  static constexpr double kHeight = 400 / kScale / 4;  // m, of the start
  static constexpr int kLength = 200, kStart = 20,
                       kGrass = 10;  // points; kStart: of the flat start
  static constexpr int kClouds = kLength / 20;

  struct Point { double x, y; };
  using Box = std::array<Point, 4>;
  using Cloud = std::array<Point, 5>;

  // Draws the ground, with obstacles if `hardcore`, and the clouds.
  void Draw(bool hardcore, Rng& rng);

  double x(int i) const { return i * kStep; }
  auto Saved() { return std::tie(y, obstacles, clouds); }

  std::array<double, kLength> y{};      // m, the height of point i, which is at x(i)
  std::vector<Box> obstacles;           // edges of pits, stumps and stairs
  std::array<Cloud, kClouds> clouds{};  // only seen
};

}  // namespace parallel_pool::box2d
