#include "parallel_pool/envs/minigrid/pictures/tiles.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

namespace parallel_pool::minigrid {
namespace {

struct Rgb { uint8_t red, green, blue; };

constexpr std::array<Rgb, kColors> kRgb = {
    {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {112, 39, 195}, {255, 255, 0}, {100, 100, 100}}};

// Parts of a picture's width and height: a point is in 0 .. 1.
struct Spot { double x, y; };

// A picture that is three times as large on a side as the tile: the mean of 3 x 3 of its pixels is
// one of the tile's.
class Canvas {
 public:
  static constexpr int kScale = 3;

  explicit Canvas(int pixels) : side_(pixels * kScale), pixels_(side_ * side_, Rgb{0, 0, 0}) {}

  // Colors the pixels whose centers are in the shape.
  template <class Contains>
  void Fill(Rgb color, const Contains& contains) {
    for (int y = 0; y < side_; ++y) {
      for (int x = 0; x < side_; ++x) {
        if (contains(Spot{(x + 0.5) / side_, (y + 0.5) / side_})) pixels_[y * side_ + x] = color;
      }
    }
  }

  // Appends the picture at its own size. A lit one is 30 % nearer to white.
  void AppendTo(std::vector<uint8_t>& bytes, bool is_lit) const {
    for (int y = 0; y < side_; y += kScale) {
      for (int x = 0; x < side_; x += kScale) {
        for (const auto channel : {&Rgb::red, &Rgb::green, &Rgb::blue}) {
          bytes.push_back(Mean(x, y, channel, is_lit));
        }
      }
    }
  }

 private:
  // The mean of 3 x 3 pixels: of the rows' means, in the reference's order.
  uint8_t Mean(int x, int y, uint8_t Rgb::* channel, bool is_lit) const {
    double sum = 0;
    for (int j = 0; j < kScale; ++j) {
      int row = 0;
      for (int i = 0; i < kScale; ++i) {
        const uint8_t value = pixels_[(y + j) * side_ + x + i].*channel;
        row += is_lit ? static_cast<uint8_t>(value + 0.3 * (255 - value)) : value;
      }
      sum += static_cast<double>(row) / kScale;
    }
    return static_cast<uint8_t>(sum / kScale);
  }

  const int side_;
  std::vector<Rgb> pixels_;
};

auto Rectangle(double left, double right, double top, double bottom) {
  return [=](Spot p) { return p.x >= left && p.x <= right && p.y >= top && p.y <= bottom; };
}

auto Circle(double x, double y, double radius) {
  return [=](Spot p) { return (p.x - x) * (p.x - x) + (p.y - y) * (p.y - y) <= radius * radius; };
}

// All points that are at most `radius` away from the line between the two. The reference keeps its
// ends and direction in float32.
auto Line(Spot from, Spot to, double radius) {
  const float x = from.x, y = from.y;
  const float dx = static_cast<float>(to.x) - x, dy = static_cast<float>(to.y) - y;
  const float length = std::sqrt(dx * dx + dy * dy);
  const float along_x = dx / length, along_y = dy / length;
  return [=](Spot p) {
    if (p.x < std::min(from.x, to.x) - radius || p.x > std::max(from.x, to.x) + radius ||
        p.y < std::min(from.y, to.y) - radius || p.y > std::max(from.y, to.y) + radius) {
      return false;
    }
    const double a =
        std::clamp((p.x - x) * along_x + (p.y - y) * along_y, 0.0, static_cast<double>(length));
    const double off_x = p.x - (x + a * along_x), off_y = p.y - (y + a * along_y);
    return std::sqrt(off_x * off_x + off_y * off_y) <= radius;
  };
}

// By barycentric coordinates; the corners are in float32.
auto Triangle(Spot a, Spot b, Spot c) {
  const float ax = a.x, ay = a.y;
  const float v0x = static_cast<float>(c.x) - ax, v0y = static_cast<float>(c.y) - ay;
  const float v1x = static_cast<float>(b.x) - ax, v1y = static_cast<float>(b.y) - ay;
  const float dot00 = v0x * v0x + v0y * v0y, dot01 = v0x * v1x + v0y * v1y;
  const float dot11 = v1x * v1x + v1y * v1y;
  const float inverse = 1 / (dot00 * dot11 - dot01 * dot01);
  return [=](Spot p) {
    const double v2x = p.x - ax, v2y = p.y - ay;
    const double dot02 = v0x * v2x + v0y * v2y, dot12 = v1x * v2x + v1y * v2y;
    const double u = (dot11 * dot02 - dot01 * dot12) * inverse;
    const double v = (dot00 * dot12 - dot01 * dot02) * inverse;
    return u >= 0 && v >= 0 && u + v < 1;
  };
}

constexpr Rgb kBlack = {0, 0, 0};

void DrawLava(Canvas& canvas) {
  canvas.Fill({255, 128, 0}, Rectangle(0, 1, 0, 1));
  for (int i = 0; i < 3; ++i) {
    const double low = 0.3 + 0.2 * i, high = 0.4 + 0.2 * i;
    canvas.Fill(kBlack, Line({0.1, low}, {0.3, high}, 0.03));
    canvas.Fill(kBlack, Line({0.3, high}, {0.5, low}, 0.03));
    canvas.Fill(kBlack, Line({0.5, low}, {0.7, high}, 0.03));
    canvas.Fill(kBlack, Line({0.7, high}, {0.9, low}, 0.03));
  }
}

void DrawOpenDoor(Canvas& canvas, Rgb color) {
  canvas.Fill(color, Rectangle(0.88, 1.0, 0.0, 1.0));
  canvas.Fill(kBlack, Rectangle(0.92, 0.96, 0.04, 0.96));
}

void DrawClosedDoor(Canvas& canvas, Rgb color) {
  canvas.Fill(color, Rectangle(0.0, 1.0, 0.0, 1.0));
  canvas.Fill(kBlack, Rectangle(0.04, 0.96, 0.04, 0.96));
  canvas.Fill(color, Rectangle(0.08, 0.92, 0.08, 0.92));
  canvas.Fill(kBlack, Rectangle(0.12, 0.88, 0.12, 0.88));
  canvas.Fill(color, Circle(0.75, 0.5, 0.08));  // the handle
}

void DrawLockedDoor(Canvas& canvas, Rgb color) {
  const auto dark = [](uint8_t value) { return static_cast<uint8_t>(0.45 * value); };
  canvas.Fill(color, Rectangle(0.0, 1.0, 0.0, 1.0));
  canvas.Fill({dark(color.red), dark(color.green), dark(color.blue)},
              Rectangle(0.06, 0.94, 0.06, 0.94));
  canvas.Fill(color, Rectangle(0.52, 0.75, 0.5, 0.56));  // the keyhole
}

void DrawKey(Canvas& canvas, Rgb color) {
  canvas.Fill(color, Rectangle(0.5, 0.63, 0.31, 0.88));
  canvas.Fill(color, Rectangle(0.38, 0.5, 0.59, 0.66));
  canvas.Fill(color, Rectangle(0.38, 0.5, 0.81, 0.88));
  canvas.Fill(color, Circle(0.56, 0.28, 0.19));
  canvas.Fill(kBlack, Circle(0.56, 0.28, 0.064));
}

void DrawBox(Canvas& canvas, Rgb color) {
  canvas.Fill(color, Rectangle(0.12, 0.88, 0.12, 0.88));
  canvas.Fill(kBlack, Rectangle(0.18, 0.82, 0.18, 0.82));
  canvas.Fill(color, Rectangle(0.16, 0.84, 0.47, 0.53));
}

void DrawObject(Canvas& canvas, Kind kind, Rgb color) {
  const auto half = [](uint8_t value) { return static_cast<uint8_t>(value / 2); };
  switch (kind) {
    case Kind::kWall:
    case Kind::kGoal:
      return canvas.Fill(color, Rectangle(0, 1, 0, 1));
    case Kind::kFloor:
      return canvas.Fill({half(color.red), half(color.green), half(color.blue)},
                         Rectangle(0.031, 1, 0.031, 1));
    case Kind::kLava:
      return DrawLava(canvas);
    case Kind::kOpenDoor:
      return DrawOpenDoor(canvas, color);
    case Kind::kClosedDoor:
      return DrawClosedDoor(canvas, color);
    case Kind::kLockedDoor:
      return DrawLockedDoor(canvas, color);
    case Kind::kKey:
      return DrawKey(canvas, color);
    case Kind::kBall:
      return canvas.Fill(color, Circle(0.5, 0.5, 0.31));
    case Kind::kBox:
      return DrawBox(canvas, color);
    default:
      return;
  }
}

// A red triangle that points in the direction.
void DrawAgent(Canvas& canvas, int direction) {
  const double angle = 0.5 * M_PI * direction, cos = std::cos(-angle), sin = std::sin(-angle);
  const auto triangle = Triangle({0.12, 0.19}, {0.87, 0.5}, {0.12, 0.81});
  canvas.Fill({255, 0, 0}, [&](Spot p) {
    const double x = p.x - 0.5, y = p.y - 0.5;
    return triangle({0.5 + x * cos - y * sin, 0.5 + y * cos + x * sin});
  });
}

}  // namespace

const Tiles& Tiles::OfSize(int pixels) {
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<const Tiles>> all;
  const std::lock_guard lock(mutex);
  std::unique_ptr<const Tiles>& tiles = all[pixels];
  if (tiles == nullptr) tiles.reset(new Tiles(pixels));
  return *tiles;
}

Tiles::Tiles(int pixels) : pixels_(pixels) {
  for (int look = 0; look < kLooks; ++look) {
    const Kind kind = KindOf(static_cast<Look>(look));
    const int color = static_cast<int>(ColorOf(static_cast<Look>(look)));
    if (color >= kColors || kind == Kind::kUnseen || kind == Kind::kAgent) continue;
    Canvas cell(pixels);
    const Rgb line = {100, 100, 100};  // between cells
    cell.Fill(line, Rectangle(0, 0.031, 0, 1));
    cell.Fill(line, Rectangle(0, 1, 0, 0.031));
    DrawObject(cell, kind, kRgb[color]);
    const bool may_have_agent = CanBeEntered(kind) || CanBePickedUp(kind);
    for (int direction = -1; direction < (may_have_agent ? 4 : 0); ++direction) {
      Canvas canvas = cell;
      if (direction >= 0) DrawAgent(canvas, direction);
      for (const bool is_lit : {false, true}) {
        place_[look][direction + 1][is_lit] = static_cast<uint32_t>(bytes_.size());
        canvas.AppendTo(bytes_, is_lit);
      }
    }
  }
}

}  // namespace parallel_pool::minigrid
