// The right of way at an intersection: of two cars that will meet, one driver stops.
#pragma once

#include <array>
#include <vector>

#include "parallel_pool/envs/highway/traffic.h"

namespace parallel_pool::highway {

class Regulation {
 public:
  explicit Regulation(int most_cars) { paths_.reserve(most_cars); }

  // Called before each frame of `dt` s: applies the rules twice a second.
  void Frame(double dt, Traffic& traffic);
  void Begin() { frames_ = 0; }
  auto Saved() { return std::tie(frames_); }

 private:
  static constexpr int kTimes = 11;  // the quarters of a second that a car looks ahead

  // Where a car will be.
  struct Place {
    Point position;
    Point direction;
  };
  // A car's next places. Those of cars that follow lanes have their directions computed on demand.
  struct Path {
    std::array<Point, kTimes> positions;
    std::array<double, kTimes> headings;
    std::array<int, kTimes> lanes;  // -1: the heading is known
    std::array<double, kTimes> along;
  };

  static void Predict(const Traffic& traffic, const Car& car, Path* path);
  static Place PlaceAt(const Road& road, const Path& path, int time);
  static bool WillMeet(const Road& road, const Path& a, const Path& b);
  static void Apply(Traffic& traffic, std::vector<Path>& paths);

  int frames_ = 0;
  std::vector<Path> paths_;  // scratch
};

}  // namespace parallel_pool::highway
