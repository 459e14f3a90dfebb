#include "parallel_pool/drawing/pygame/rotate.h"

#include <cmath>

namespace parallel_pool::drawing::pygame {
namespace {

constexpr int kOne = 1 << 16;  // a pixel

// A coordinate in 1/65536 of a pixel.
int Fixed(double value) {
  return static_cast<int>(value * kOne);
}

// The size of the smallest box around an image that is turned, without the fraction.
ImageSize TurnedSize(ImageSize size, double sin, double cos) {
  const auto length = [](double a, double b) {
    return static_cast<int32_t>(std::max(std::abs(a + b), std::abs(a - b)));
  };
  return {length(sin * size.width, cos * size.height), length(cos * size.width, sin * size.height)};
}

// Where the left end of the turned image's middle row lies on the image, along an axis of this
// length: half the turned width before the axis's middle. `factor` is the cosine for x, else the
// sine.
int MiddleRowStart(int length, int turned_width, double factor) {
  const auto reach = static_cast<double>((int64_t{turned_width} - 1) << 15);
  return (length << 15) - static_cast<int>(factor * reach);
}

int64_t DivideDown(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
int64_t DivideUp(int64_t a, int64_t b) {
  return -DivideDown(-a, b);
}

// The x of `within` for which start + step * x, in 1/65536, lies in a pixel of `pixels`.
Range Solve(int64_t start, int64_t step, Range pixels, Range within) {
  const int64_t low = int64_t{pixels.first} * kOne - start;
  const int64_t high = int64_t{pixels.end} * kOne - start;  // excluded
  if (step == 0) return low <= 0 && 0 < high ? within : Range{0, 0};
  const int64_t first = step > 0 ? DivideUp(low, step) : DivideDown(high, step) + 1;
  const int64_t end = step > 0 ? DivideUp(high, step) : DivideDown(low, step) + 1;
  return {static_cast<int>(std::max<int64_t>(first, within.first)),
          static_cast<int>(std::min<int64_t>(end, within.end))};
}

// One color of a target, `below`, after `above` is drawn on it: pygame rounds as SDL 1 did.
uint8_t Mix(int above, int below, int alpha) {
  return static_cast<uint8_t>(((below << 8) + (above - below) * alpha + above) >> 8);
}

void BlendOver(Rgba above, Rgba* below) {
  // A transparent pixel takes the color as it is.
  const int alpha = below->alpha == 0 ? 255 : above.alpha;
  const int both = above.alpha + below->alpha - above.alpha * below->alpha / 255;
  *below = {Mix(above.red, below->red, alpha), Mix(above.green, below->green, alpha),
            Mix(above.blue, below->blue, alpha), static_cast<uint8_t>(both)};
}

// The part of an axis of a target that is covered if an image of this length starts at `at`.
Range OnTarget(int length, int at, int target_length) {
  return Range{0, length} & Range{-at, target_length - at};
}

}  // namespace

void AlphaSurface::Reset(ImageSize size) {
  const auto begin = pixels_.begin();
  std::fill(begin + int64_t{painted_.first} * size_.width,
            begin + int64_t{painted_.end} * size_.width, Rgba{0, 0, 0, 0});
  size_ = size;
  painted_ = {0, 0};
  const size_t count = static_cast<size_t>(size.height) * static_cast<size_t>(size.width);
  if (pixels_.size() < count) pixels_.resize(count);
}

Rgba* AlphaSurface::PaintedRow(int y) {
  const bool is_first = painted_.end <= painted_.first;
  painted_ = is_first ? Range{y, y + 1}
                      : Range{std::min(painted_.first, y), std::max(painted_.end, y + 1)};
  return pixels_.data() + int64_t{y} * size_.width;
}

Rect AlphaSurface::Clipped(Rect rect) const {
  const int left = std::max(rect.x, 0), top = std::max(rect.y, 0);
  const int right = std::min(rect.x + rect.width, static_cast<int>(size_.width));
  const int bottom = std::min(rect.y + rect.height, static_cast<int>(size_.height));
  return {left, top, std::max(right - left, 0), std::max(bottom - top, 0)};
}

void AlphaSurface::FillRect(Rect rect, Rgba color) {
  const Rect part = Clipped(rect);
  for (int y = part.y; y < part.y + part.height; ++y) {
    std::fill_n(PaintedRow(y) + part.x, part.width, color);
  }
}

void AlphaSurface::DrawFrame(Rect rect, Rgba color) {
  const Rect part = Clipped(rect);
  if (part.width < 3 || part.height < 3) return FillRect(rect, color);
  const int right = rect.x + rect.width - 1, bottom = rect.y + rect.height - 1;
  FillRect({rect.x, rect.y, rect.width, 1}, color);
  FillRect({rect.x, bottom, rect.width, 1}, color);
  FillRect({rect.x, rect.y, 1, rect.height}, color);
  FillRect({right, rect.y, 1, rect.height}, color);
}

Rotated::Rotated(const AlphaSurface& image, float degrees) : image_(image) {
  const ImageSize from = image.size();
  const bool is_empty = from.width == 0 || from.height == 0;
  if (is_empty || std::fmod(degrees, 90.0f) == 0) {
    // Such an angle turns without a rounding: 0 to 3 quarters.
    const int quarters = is_empty ? 0 : (static_cast<int>(degrees) / 90 % 4 + 4) % 4;
    size_ = quarters % 2 == 0 ? from : ImageSize{from.width, from.height};
    cos_ = quarters % 2 == 0 ? kOne - quarters * kOne : 0;
    sin_ = quarters % 2 == 0 ? 0 : 2 * kOne - quarters * kOne;
    x_ = quarters == 1 || quarters == 2 ? (from.width - 1) * kOne : 0;
    y_ = quarters == 2 || quarters == 3 ? (from.height - 1) * kOne : 0;
    return;
  }
  const double angle = degrees * .01745329251994329;  // pygame's digits of pi / 180
  const double sin = std::sin(angle), cos = std::cos(angle);
  size_ = TurnedSize(from, sin, cos);
  cos_ = Fixed(cos);
  sin_ = Fixed(sin);
  const int middle = size_.height / 2;
  x_ = MiddleRowStart(from.width, size_.width, cos) + sin_ * middle;
  y_ = MiddleRowStart(from.height, size_.width, sin) - cos_ * middle;
}

Range Rotated::Columns(int y, Range rows) const {
  const Range all{0, size_.width};
  const Range in_image{0, image_.size().width};
  return Solve(x_ - int64_t{sin_} * y, cos_, in_image,
               Solve(y_ + int64_t{cos_} * y, sin_, rows, all));
}

Rgba Rotated::outside() const {
  Rgba color = image_.Row(0)[0];
  color.alpha = 0;
  return color;
}

void Blit(const Rotated& image, Pixel at, RgbPixels target) {
  const Range columns = OnTarget(image.size().width, at.x, target.size.width);
  const Range rows = OnTarget(image.size().height, at.y, target.size.height);
  for (int y = rows.first; y < rows.end; ++y) {
    uint8_t* const row = target.Row(at.y + y);
    image.ForEach(y, image.Columns(y, image.painted_rows()) & columns, [&](int x, Rgba above) {
      if (above.alpha == 0) return;
      uint8_t* const below = row + 3 * (at.x + x);
      below[0] = Mix(above.red, below[0], above.alpha);
      below[1] = Mix(above.green, below[1], above.alpha);
      below[2] = Mix(above.blue, below[2], above.alpha);
    });
  }
}

void Blit(const Rotated& image, Pixel at, AlphaSurface* target) {
  const Range columns = OnTarget(image.size().width, at.x, target->size().width);
  const Range rows = OnTarget(image.size().height, at.y, target->size().height);
  if (columns.end <= columns.first || rows.end <= rows.first) return;
  const Rgba outside = image.outside();
  for (int y = rows.first; y < rows.end; ++y) {
    Rgba* const row = target->PaintedRow(at.y + y) + at.x;
    const Range inside = image.Columns(y, image.image_rows()) & columns;
    for (int x = columns.first; x < columns.end; ++x) {
      if (x < inside.first || x >= inside.end) BlendOver(outside, row + x);
    }
    image.ForEach(y, inside, [&](int x, Rgba above) { BlendOver(above, row + x); });
  }
}

}  // namespace parallel_pool::drawing::pygame
