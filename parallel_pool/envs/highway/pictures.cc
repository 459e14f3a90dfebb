#include "parallel_pool/envs/highway/pictures.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "parallel_pool/drawing/pygame/draw.h"
#include "parallel_pool/drawing/pygame/rotate.h"

namespace parallel_pool::highway {
namespace {

namespace pygame = drawing::pygame;
using pygame::AlphaSurface;
using pygame::Pixel;
using pygame::Rgba;
using pygame::RgbPixels;

constexpr uint8_t kGround = 100, kLine = 255;  // of all three colors
constexpr Rgba kOutline{60, 60, 60, 255};      // of cars and things; tires, too
constexpr Rgba kRed{255, 100, 100, 255}, kGreen{50, 200, 0, 255}, kBlue{100, 200, 255, 255},
    kYellow{200, 200, 0, 255};

// Lines of lanes, in m.
constexpr double kStripeSpacing = 4.33, kStripeLength = 3, kStripeWidth = 0.3;
// Parts of a car, in m.
constexpr double kTireLength = 1, kTireWidth = 0.3;
constexpr double kHeadlightLength = 0.72, kHeadlightWidth = 0.6;
// A heading up to this is drawn as 0, in rad.
constexpr double kLeastHeading = 2 * kPi / 180;
// A car is drawn if its center is in the picture or less than this next to it, in pixels.
constexpr int kMargin = 50;

Rgba ColorOf(const Car& car) {
  if (car.kind == CarKind::kLandmark) return car.is_crashed ? kGreen : kBlue;
  if (car.is_crashed) return kRed;
  if (car.kind == CarKind::kIdm) return kBlue;
  return car.kind == CarKind::kEgo ? kGreen : kYellow;
}

// The color of headlights.
Rgba Lighter(Rgba color) {
  const auto lighter = [](uint8_t level) {
    return static_cast<uint8_t>(std::min(static_cast<int>(level / 0.68), 255));
  };
  return {lighter(color.red), lighter(color.green), lighter(color.blue), color.alpha};
}

// Python's a // b for b > 0.
double FloorDivided(double a, double b) {
  const double rest = std::fmod(a, b);
  const double quotient = (a - rest) / b - (rest < 0);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

// numpy.rad2deg
double Degrees(double angle) {
  return angle * (180 / kPi);
}

// Paints lines on the caller's picture.
class LineBrush {
 public:
  explicit LineBrush(RgbPixels pixels) : pixels_(pixels) {}

  ImageSize size() const { return pixels_.size; }
  void FillRow(int y, int first, int last) {
    std::fill_n(pixels_.Row(y) + 3 * first, 3 * (last - first + 1), kLine);
  }
  void Blend(int x, int y, int) {
    FillRow(y, x, x);
  }  // for the concept: lines have no smooth edges

 private:
  const RgbPixels pixels_;
};

// From the world to pixels.
class Window {
 public:
  Window(const Screen& screen, Point view)
      : size_(screen.size),
        scaling_(screen.scaling),
        origin_(view - Point{screen.center[0] * size_.width / scaling_,
                             screen.center[1] * size_.height / scaling_}) {}

  Point origin() const { return origin_; }  // the corner of the first pixel
  int ToPixels(double length) const { return static_cast<int>(length * scaling_); }
  Pixel ToPixel(Point p) const {
    const Point from = p - origin_;
    return {ToPixels(from.x), ToPixels(from.y)};
  }
  // As many stripes as a lane may show.
  int CountStripes() const {
    return static_cast<int>(2 * (size_.height + size_.width) / (kStripeSpacing * scaling_));
  }
  // Whether a pixel is in the picture or less than `margin` next to it.
  bool Shows(Pixel pixel, int margin) const {
    return pixel.x > -margin && pixel.x < size_.width + margin && pixel.y > -margin &&
           pixel.y < size_.height + margin;
  }
  // Whether two pixels lie beyond the same side of the picture, `margin` or more away.
  bool Hides(Pixel a, Pixel b, int margin) const {
    const auto [left, right] = std::minmax(a.x, b.x);
    const auto [top, bottom] = std::minmax(a.y, b.y);
    return right <= -margin || left >= size_.width + margin || bottom <= -margin ||
           top >= size_.height + margin;
  }

 private:
  const ImageSize size_;
  const double scaling_;
  const Point origin_;
};

// Draws `image` onto `target`, turned about its center, which comes to `center`.
template <class Target>
void BlitTurned(const AlphaSurface& image, Pixel center, double degrees, Target target) {
  const double width = image.size().width, height = image.size().height;
  const pygame::Rotation turn(degrees * (kPi / 180));
  double left = 0, top = 0;  // of the turned image, from its first corner; y upwards
  for (const pygame::Point corner : {pygame::Point{width, 0}, {width, -height}, {0, -height}}) {
    left = std::min(left, turn(corner).x);
    top = std::max(top, turn(corner).y);
  }
  const pygame::Point middle{width / 2, -height / 2}, turned = turn(middle);
  const pygame::Point corner{center.x - width / 2 + left - (turned.x - middle.x),
                             center.y - height / 2 - top + (turned.y - middle.y)};
  const pygame::Rotated rotated(image, static_cast<float>(degrees));
  Blit(rotated, pygame::ToPixel(corner), target);
}

// Surfaces whose memory is kept from picture to picture.
struct Scratch {
  AlphaSurface figure;  // a car or a thing that looks to the right; square
  AlphaSurface tire;
  std::vector<uint8_t> rgb;  // the picture of a gray frame
};

class Painter {
 public:
  Painter(const Scene& scene, RgbPixels pixels, Scratch& scratch)
      : scene_(scene), window_(scene.screen, scene.view), pixels_(pixels), scratch_(scratch) {}

  void Draw() const;

 private:
  void DrawLane(const Lane& lane) const;
  // A part of a line, which is `across` from the middle of the lane.
  void DrawStripe(const Lane& lane, double start, double end, double across) const;
  void DrawThing(const Car& thing) const;
  void DrawCar(const Car& car, Rgba color) const;
  void DrawBody(const Car& car, Rgba color) const;
  void DrawTires(const Car& car) const;
  // Draws the figure of the scratch memory.
  void DrawFigure(Pixel center, double heading) const;

  const Scene& scene_;
  const Window window_;
  const RgbPixels pixels_;
  Scratch& scratch_;
};

void Painter::Draw() const {
  std::fill_n(pixels_.rgb, int64_t{3} * pixels_.size.height * pixels_.size.width, kGround);
  for (int i = 0; i < scene_.road.num_lanes(); ++i) DrawLane(scene_.road.lane(i));
  for (const Car& thing : scene_.things) DrawThing(thing);
  for (size_t i = 0; i < scene_.cars.size(); ++i) {
    const bool is_green = std::ranges::count(scene_.green_cars, static_cast<int>(i)) > 0;
    DrawCar(scene_.cars[i], is_green ? kGreen : ColorOf(scene_.cars[i]));
  }
}

void Painter::DrawLane(const Lane& lane) const {
  const int count = window_.CountStripes();
  const double along = std::trunc(lane.Locate(window_.origin()).along);
  const double first = (FloorDivided(along, kStripeSpacing) - count / 2) * kStripeSpacing;
  for (const bool is_right : {false, true}) {
    const LineType type = is_right ? lane.traits().right : lane.traits().left;
    const double across = (is_right - 0.5) * lane.traits().width;
    if (type == LineType::kNone) continue;
    if (type == LineType::kContinuousLine) {
      DrawStripe(lane, first, first + count * kStripeSpacing + kStripeLength, across);
      continue;
    }
    const double length = type == LineType::kStriped ? kStripeLength : kStripeSpacing;
    for (int i = 0; i < count; ++i) {
      const double start = first + i * kStripeSpacing;
      DrawStripe(lane, start, start + length, across);
    }
  }
}

void Painter::DrawStripe(const Lane& lane, double start, double end, double across) const {
  start = Clip(start, 0, lane.length());
  end = Clip(end, 0, lane.length());
  if (std::abs(start - end) <= 0.5 * kStripeLength) return;
  const Pixel a = window_.ToPixel(lane.PositionAt({start, across}));
  const Pixel b = window_.ToPixel(lane.PositionAt({end, across}));
  const int width = std::max(window_.ToPixels(kStripeWidth), 1);
  if (window_.Hides(a, b, width)) return;
  LineBrush brush(pixels_);
  pygame::draw::Line(brush, a, b, width);
}

void Painter::DrawThing(const Car& thing) const {
  const Pixel center = window_.ToPixel(thing.position);
  const int length = window_.ToPixels(thing.length);
  if (!window_.Shows(center, length + 1)) return;  // no corner is farther away
  const int y = window_.ToPixels(thing.length / 2 - thing.width / 2);
  const pygame::Rect rect{0, y, length, window_.ToPixels(thing.width)};
  scratch_.figure.Reset({length, length});
  scratch_.figure.FillRect(rect, ColorOf(thing));
  scratch_.figure.DrawFrame(rect, kOutline);
  DrawFigure(center, thing.heading);
}

void Painter::DrawCar(const Car& car, Rgba color) const {
  const Pixel center = window_.ToPixel(car.position);
  if (!window_.Shows(center, kMargin)) return;
  DrawBody(car, color);
  if (!car.follows_lanes()) DrawTires(car);
  DrawFigure(center, car.heading);
}

void Painter::DrawBody(const Car& car, Rgba color) const {
  const auto pixels = [this](double length) { return window_.ToPixels(length); };
  const double length = car.length + 2 * kTireLength, middle = length / 2;
  const pygame::Rect body{pixels(kTireLength), pixels(middle - car.width / 2), pixels(car.length),
                          pixels(car.width)};
  AlphaSurface& figure = scratch_.figure;
  figure.Reset({pixels(length), pixels(length)});
  figure.FillRect(body, color);
  const int x = pixels(kTireLength + car.length - kHeadlightLength);
  for (const double y : {middle - 1.4 * car.width / 3, middle + 0.6 * car.width / 5}) {
    figure.FillRect({x, pixels(y), pixels(kHeadlightLength), pixels(kHeadlightWidth)},
                    Lighter(color));
  }
  figure.DrawFrame(body, kOutline);
}

void Painter::DrawTires(const Car& car) const {
  const int size = window_.ToPixels(kTireLength);
  const int y = window_.ToPixels(kTireLength / 2 - kTireWidth / 2);
  scratch_.tire.Reset({size, size});
  scratch_.tire.FillRect({0, y, size, window_.ToPixels(kTireWidth)}, kOutline);
  const double length = car.length + 2 * kTireLength;
  for (const bool is_front : {false, true}) {
    const int x = window_.ToPixels(is_front ? length - kTireLength : kTireLength);
    for (const double side : {-car.width / 2, car.width / 2}) {
      BlitTurned(scratch_.tire, {x, window_.ToPixels(length / 2 + side)},
                 is_front ? Degrees(-car.steering) : 0, &scratch_.figure);
    }
  }
}

void Painter::DrawFigure(Pixel center, double heading) const {
  const double angle = std::abs(heading) > kLeastHeading ? heading : 0;
  BlitTurned(scratch_.figure, center, Degrees(-angle), pixels_);
}

Scratch& ThreadScratch() {
  static thread_local Scratch scratch;
  return scratch;
}

// numpy.dot of a pixel and the weights, from 0 to 255, without the fraction.
uint8_t GrayOf(const uint8_t* rgb, const std::array<double, 3>& weights, bool fuses) {
  double level = rgb[0] * weights[0];
  for (const int i : {1, 2}) {
    level = fuses ? std::fma(rgb[i], weights[i], level) : level + rgb[i] * weights[i];
  }
  return static_cast<uint8_t>(Clip(level, 0, 255));
}

}  // namespace

void Draw(const Scene& scene, View<uint8_t> rgb) {
  Painter(scene, {rgb.begin(), scene.screen.size}, ThreadScratch()).Draw();
}

void DrawGray(const Scene& scene, const std::array<double, 3>& weights, View<uint8_t> gray) {
  Scratch& scratch = ThreadScratch();
  const auto [height, width] = scene.screen.size;
  scratch.rgb.resize(size_t{3} * height * width);
  const RgbPixels pixels{scratch.rgb.data(), scene.screen.size};
  Painter(scene, pixels, scratch).Draw();
  const bool fuses = NumpyArithmetic().fuses_dot;
  uint8_t* out = gray.begin();
  for (int x = 0; x < width; ++x) {
    for (int y = 0; y < height; ++y) *out++ = GrayOf(pixels.Row(y) + 3 * x, weights, fuses);
  }
}

}  // namespace parallel_pool::highway
