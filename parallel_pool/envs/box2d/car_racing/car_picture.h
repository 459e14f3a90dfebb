// The pictures of CarRacing, equal to those of Gymnasium 1.4 by ==: the observation and Render's.
//
// Gymnasium draws 1000 x 800 pixels with pygame and shrinks them. The view follows the car: the
// hull is at the same place in each picture and points upwards.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/drawing/pygame/shapes.h"

namespace parallel_pool::box2d {

using drawing::pygame::Point;  // of the world here: m, y upwards
using drawing::pygame::Rgb;

struct RoadPolygon {
  std::array<Point, 4> corners;
  Rgb color;  // Gymnasium's color without its fraction
};

// A fixture's polygon in the world: b2Transform * vertex in float, in the order of the vertices.
struct Outline {
  std::array<Point, 8> corners;
  int num_corners;

  std::span<const Point> span() const { return {corners.data(), static_cast<size_t>(num_corners)}; }
};

struct WheelPose {
  Outline outline;
  float x, y, sin, cos;  // its b2Transform
  double phase, omega;   // rad, rad/s
};

// The points that a wheel has skidded over.
struct SkidMark {
  std::vector<Point> points;
  bool is_on_grass;
};

// All that a picture shows.
struct CarScene {
  double time;  // s since the reset
  double reward;
  // The hull, read from Box2D as float:
  Point position;
  double angle;  // rad
  Point velocity;
  double angular_velocity;  // rad/s
  double steering;          // rad, the angle of the first wheel's joint
  std::array<Outline, 4> hull;
  std::array<WheelPose, 4> wheels;
  Rgb background, grass;
  std::span<const RoadPolygon> road;  // in the order in which it was made
  std::span<const SkidMark> skid_marks;
};

inline constexpr ImageSize kCarWindow{800, 1000}, kCarVideo{400, 600}, kCarObservation{96, 96};

// Draws the picture pixel by pixel and shrinks it to `size`: size.height * size.width * 3 bytes.
// Skid marks are in Render's pictures, but not in observations.
void DrawCarPicture(const CarScene& scene, ImageSize size, bool has_skid_marks, uint8_t* rgb);

// Writes the same bytes as DrawCarPicture(scene, kCarObservation, false, rgb), much faster. The
// calling thread keeps 4 MB of scratch memory.
void DrawCarObservation(const CarScene& scene, uint8_t* rgb);

}  // namespace parallel_pool::box2d
