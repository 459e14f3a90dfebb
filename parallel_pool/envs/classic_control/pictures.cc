#include "parallel_pool/envs/classic_control/pictures.h"

#include <array>
#include <cmath>

#include "parallel_pool/drawing/canvas.h"
#include "parallel_pool/envs/classic_control/images.h"

namespace parallel_pool::classic_control {
namespace {

using drawing::Canvas;
using drawing::kBlack;
using drawing::kWhite;
using drawing::Point;
using drawing::Rgb;
using drawing::Rotated;
using drawing::YAxis;

// A bar from (left, bottom) to (right, top). FillBar turns it by `angle` about (0, 0), then moves
// it by `at`.
struct Bar { double left, bottom, right, top; };
void FillBar(Canvas& canvas, Bar bar, double angle, Point at, Rgb color) {
  const std::array corners{Point{bar.left, bar.bottom}, Point{bar.left, bar.top},
                           Point{bar.right, bar.top}, Point{bar.right, bar.bottom}};
  std::array<Point, 4> placed;
  for (size_t i = 0; i < 4; ++i) placed[i] = Rotated(corners[i], angle) + at;
  canvas.FillPolygon(placed, color);
}

}  // namespace

void DrawCartPole(View<uint8_t> rgb, double x, double theta) {
  constexpr double kScale = kTrackSize.width / 4.8;  // pixels per meter
  constexpr double kRail = 100, kPoleWidth = 10, kPoleLength = kScale * 1.0;
  constexpr Rgb kPole{202, 152, 101}, kAxle{129, 132, 203};
  Canvas canvas(rgb, kTrackSize, YAxis::kUp);
  canvas.Fill(kWhite);
  const Point cart{x * kScale + kTrackSize.width / 2.0, kRail}, axle = cart + Point{0, 7.5};
  FillBar(canvas, {-25, -15, 25, 15}, 0, cart, kBlack);
  FillBar(canvas, {-kPoleWidth / 2, -kPoleWidth / 2, kPoleWidth / 2, kPoleLength - kPoleWidth / 2},
          -theta, axle, kPole);
  canvas.FillCircle(axle, 5, kAxle);
  canvas.FillRect({0, 100, kTrackSize.width, 1}, kBlack);
}

void DrawMountainCar(View<uint8_t> rgb, double position, double goal) {
  constexpr double kLeft = -1.2, kRight = 0.6, kScale = kTrackSize.width / (kRight - kLeft);
  constexpr int kTrackPoints = 100, kPole = 50;  // kPole: pixels
  constexpr Rgb kWheel{128, 128, 128}, kFlag{204, 204, 0};
  const auto ground = [](double x) {
    return Point{(x - kLeft) * kScale, (std::sin(3 * x) * 0.45 + 0.55) * kScale};
  };
  Canvas canvas(rgb, kTrackSize, YAxis::kUp);
  canvas.Fill(kWhite);
  constexpr double kStep = (kRight - kLeft) / (kTrackPoints - 1);
  for (int i = 0; i + 1 < kTrackPoints; ++i) {
    canvas.DrawLine(ground(kLeft + i * kStep), ground(kLeft + (i + 1) * kStep), kBlack);
  }

  const Point car = ground(position) + Point{0, 10};
  const double tilt = std::cos(3 * position);
  FillBar(canvas, {-20, 0, 20, 20}, tilt, car, kBlack);
  for (const double x : {10.0, -10.0}) canvas.FillCircle(Rotated({x, 0}, tilt) + car, 8, kWheel);

  const int x = static_cast<int>(ground(goal).x), y = static_cast<int>(ground(goal).y);
  canvas.FillRect({x, y, 1, kPole + 1}, kBlack);
  const double top = y + kPole;
  const std::array flag{Point{x + 0.0, top}, Point{x + 0.0, top - 10}, Point{x + 25.0, top - 5}};
  canvas.FillPolygon(flag, kFlag);
}

void DrawPendulum(View<uint8_t> rgb, double theta, double torque) {
  constexpr double kScale = kSwingSize.width / 4.4;  // pixels per meter
  constexpr Point kAxle{kSwingSize.width / 2, kSwingSize.width / 2};
  constexpr double kRadius = 0.1 * kScale;
  constexpr Rgb kRod{204, 77, 77};
  Canvas canvas(rgb, kSwingSize, YAxis::kUp);
  canvas.Fill(kWhite);
  const double angle = theta + M_PI / 2;
  FillBar(canvas, {0, -kRadius, kScale, kRadius}, angle, kAxle, kRod);
  canvas.FillCircle(kAxle, static_cast<int>(kRadius), kRod);
  canvas.FillCircle(Rotated({kScale, 0}, angle) + kAxle, static_cast<int>(kRadius), kRod);

  const int side = static_cast<int>(kScale * std::abs(torque) / 2);
  const int first = kSwingSize.width / 2 - side / 2;
  canvas.BlitShrunk(Find(kImages, "clockwise"), {first, first, side, side},
                    {.x = torque > 0, .y = true});
  canvas.FillCircle(kAxle, static_cast<int>(0.05 * kScale), kBlack);
}

void DrawAcrobot(View<uint8_t> rgb, double theta1, double theta2) {
  constexpr double kScale = kSwingSize.width / 4.4, kHalfWidth = 0.1 * kScale;  // pixels per meter
  constexpr Rgb kLink{0, 204, 204}, kJoint{204, 204, 0};
  Canvas canvas(rgb, kSwingSize, YAxis::kUp);
  canvas.Fill(kWhite);
  const Point middle{kSwingSize.width / 2, kSwingSize.width / 2};
  canvas.FillRect({0, static_cast<int>(middle.y + kScale), kSwingSize.width, 1}, kBlack);
  const Point elbow = Point{std::sin(theta1) * kScale, -std::cos(theta1) * kScale} + middle;
  const auto draw_link = [&](double angle, Point joint) {
    FillBar(canvas, {0, -kHalfWidth, kScale, kHalfWidth}, angle, joint, kLink);
    canvas.FillCircle(joint, static_cast<int>(kHalfWidth), kJoint);
  };
  draw_link(theta1 - M_PI / 2, middle);
  draw_link(theta1 + theta2 - M_PI / 2, elbow);
}

}  // namespace parallel_pool::classic_control
