#include "parallel_pool/envs/box2d/car_racing/car_painter.h"

#include <numbers>

namespace parallel_pool::box2d {
namespace {

// Units of the panel, in pixels.
constexpr double kStep = 1000 / 40.0, kLevel = 800 / 40.0, kBottom = 800;

CarBar Vertical(int place, double value, Rgb color) {
  const double left = place * kStep, right = (place + 1) * kStep;
  const double low = kBottom - kLevel, high = kBottom - (kLevel + kLevel * value);
  return {{{{left, high}, {right, high}, {right, low}, {left, low}}}, color};
}

CarBar Horizontal(int place, double value, Rgb color) {
  const double from = place * kStep, to = (place + value) * kStep;
  const double high = kBottom - 4 * kLevel, low = kBottom - 2 * kLevel;
  return {{{{from, high}, {to, high}, {to, low}, {from, low}}}, color};
}

}  // namespace

bool WhiteOfWheel(const WheelPose& wheel, std::array<Point, 4>* corners) {
  constexpr double kWheelWidth = 14, kWheelRadius = 27, kSize = 0.02;
  const double angles[] = {wheel.phase, wheel.phase + 1.2};
  double heights[2];
  int above = 0;
  for (int i = 0; i < 2; ++i) {
    const double cos = std::cos(angles[i]);
    const bool is_above = std::sin(angles[i]) > 0;
    above += is_above;
    heights[i] = kWheelRadius * (is_above ? (cos > 0) - (cos < 0) : cos) * kSize;
  }
  if (above == 2) return false;
  const double side = kWheelWidth * kSize;
  const Point local[] = {
      {-side, heights[0]}, {side, heights[0]}, {side, heights[1]}, {-side, heights[1]}};
  for (int i = 0; i < 4; ++i) {  // b2Transform * b2Vec2, which are in float
    const auto x = static_cast<float>(local[i].x), y = static_cast<float>(local[i].y);
    (*corners)[i] = {wheel.cos * x - wheel.sin * y + wheel.x,
                     wheel.sin * x + wheel.cos * y + wheel.y};
  }
  return true;
}

bool IsNearWindow(std::span<const Point> corners) {
  const double margin = kGrass * std::numbers::sqrt2 * 2.7 * kScale;
  return std::ranges::any_of(corners, [&](Point point) {
    return -margin <= point.x && point.x <= static_cast<double>(kCarWindow.width) + margin &&
           -margin <= point.y && point.y <= static_cast<double>(kCarWindow.height) + margin;
  });
}

std::vector<CarBar> BarsOf(const CarScene& scene) {
  constexpr Rgb kWhite{255, 255, 255}, kBlue{0, 0, 255}, kViolet{51, 0, 255}, kGreen{0, 255, 0},
      kRed{255, 0, 0};
  std::vector<CarBar> bars;
  const auto add = [&](double value, const CarBar& bar) {
    if (std::abs(value) > 1e-4) bars.push_back(bar);
  };
  const Point velocity = scene.velocity;
  const double speed = std::sqrt(velocity.x * velocity.x + velocity.y * velocity.y);
  add(speed, Vertical(5, 0.02 * speed, kWhite));
  for (int i = 0; i < 4; ++i) {
    const double omega = scene.wheels[i].omega;
    add(omega, Vertical(7 + i, 0.01 * omega, i < 2 ? kBlue : kViolet));
  }
  add(scene.steering, Horizontal(20, -10.0 * scene.steering, kGreen));
  add(scene.angular_velocity, Horizontal(30, -0.8 * scene.angular_velocity, kRed));
  return bars;
}

}  // namespace parallel_pool::box2d
