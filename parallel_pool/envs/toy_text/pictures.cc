#include "parallel_pool/envs/toy_text/pictures.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "parallel_pool/drawing/canvas.h"
#include "parallel_pool/envs/toy_text/images.h"

namespace parallel_pool::toy_text {
namespace {

using drawing::Canvas;
using drawing::Image;
using drawing::kBlack;
using drawing::kWhite;
using drawing::Mirrored;
using drawing::Rect;
using drawing::Rgb;

constexpr int kTile = 64;  // pixels per side of Gymnasium's tiles

// Pixels per side of each of `cells` squares.
int SideOf(int cells) {
  return std::min(kTile, 512 / cells);
}

// Python's round(): halves to even.
int Rounded(double x) {
  return static_cast<int>(std::nearbyint(x));
}

// One square of a frozen lake, in pixels.
class Square {
 public:
  Square(Canvas& canvas, Rect rect) : canvas_(canvas), rect_(rect) {}

  void Cover(const Image& tile) { canvas_.BlitStretched(tile, rect_); }
  void PutInCorner(const Image& image) {
    const int margin = Rounded(rect_.width * 0.06);
    canvas_.BlitStretched(image, Shrunk(image, margin, margin));
  }
  void PutInMiddle(const Image& image) {
    const Rect size = Shrunk(image, 0, 0);
    canvas_.BlitStretched(
        image, Shrunk(image, (rect_.width - size.width) / 2, (rect_.height - size.height) / 2));
  }
  void Plant(const Image& image) {  // in the middle, near the lower edge
    const Rect size = Shrunk(image, 0, 0);
    canvas_.BlitStretched(image, Shrunk(image, (rect_.width - size.width) / 2,
                                        rect_.height - size.height - Rounded(rect_.height * 0.12)));
  }

 private:
  // The rectangle of `image` at (x, y) from the square's corner, scaled as the square's tile.
  Rect Shrunk(const Image& image, int x, int y) const {
    const double scale = std::min(rect_.width, rect_.height) / static_cast<double>(kTile);
    const auto length = [scale](int pixels) { return std::max(1, Rounded(pixels * scale)); };
    return {rect_.x + x, rect_.y + y, length(image.width), length(image.height)};
  }

  Canvas& canvas_;
  const Rect rect_;
};

void DrawLetter(Square& square, char letter, int row, int column) {
  static constexpr const Image* kCracks[] = {&Find(kImages, "tile_ice_crack_a"),
                                             &Find(kImages, "tile_ice_crack_b")};
  square.Cover(Find(kImages, letter == 'H' ? "tile_hole" : "tile_ice"));
  const int crack = (3 * column + 5 * row) % 7;
  if (letter == 'F' && crack < 2) square.Cover(*kCracks[crack]);
  if (letter == 'S') square.PutInCorner(Find(kImages, "letter_s"));
  if (letter == 'G') {
    square.Plant(Find(kImages, "goal_flag"));
    square.PutInCorner(Find(kImages, "letter_g"));
  }
}

// Draws the digits of `number` from (x, y) on, with `gap` pixels between them.
void DrawNumber(Canvas& canvas, int number, const char* font, int gap, int x, int y) {
  for (const char digit : std::to_string(number)) {
    const Image& image = Find(kImages, font + std::string(1, digit));
    canvas.Blit(image, x, y);
    x += image.width + gap;
  }
}

}  // namespace

ImageSize LakeSize(const Grid& grid) {
  return {.height = std::min(kTile * grid.rows, 512), .width = std::min(kTile * grid.columns, 512)};
}

void DrawFrozenLake(View<uint8_t> rgb, const LakeMap& map, int cell) {
  constexpr Rgb kFrame{180, 200, 230};
  const int width = SideOf(map.grid.columns), height = SideOf(map.grid.rows);
  Canvas canvas(rgb, LakeSize(map.grid));
  canvas.Fill(kBlack);  // for the remainder of 512 / rows or 512 / columns
  const auto rect_of = [&](int i) {
    return Rect{i % map.grid.columns * width, i / map.grid.columns * height, width, height};
  };
  for (int i = 0; i < map.grid.cells(); ++i) {
    Square square(canvas, rect_of(i));
    DrawLetter(square, map.letters[i], i / map.grid.columns, i % map.grid.columns);
    canvas.DrawFrame(rect_of(i), kFrame);
  }
  if (map.letters[cell] != 'H') Square(canvas, rect_of(cell)).PutInMiddle(Find(kImages, "agent"));
}

void DrawCliffWalking(View<uint8_t> rgb, int cell) {
  constexpr int kColumns = 12, kStart = 36, kGoal = 47;  // the cliff is between
  Canvas canvas(rgb, kCliffSize);
  const auto put = [&](std::string_view name, int i, int dx = 0, int dy = 0) {
    canvas.Blit(Find(kImages, name), i % kColumns * kTile + dx, i / kColumns * kTile + dy);
  };
  for (int i = 0; i <= kGoal; ++i) put("tile_ground", i);
  for (int i = kStart + 1; i < kGoal; ++i) {
    put(i == kStart + 1  ? "tile_cliff_left"
        : i == kGoal - 1 ? "tile_cliff_right"
        : i % 2 == 0     ? "tile_cliff_mid_a"
                         : "tile_cliff_mid_b",
        i);
  }
  put("letter_s", kStart, 8, 8);
  put("letter_g", kGoal, 8, 8);
  put("goal_flag", kGoal, 28, 16);
  put("agent", cell, 20, 20);
}

void DrawTaxi(View<uint8_t> rgb, const TaxiRide& ride) {
  constexpr Rgb kPaper{250, 250, 246};
  Canvas canvas(rgb, kTaxiSize);
  canvas.Fill(kPaper);
  canvas.Blit(Find(kImages, "background"), 0, 80);
  canvas.Blit(Find(kImages, "house"), 403, 36);
  const auto put = [&](std::string_view name, int cell, int dx, int dy, Mirrored mirrored = {}) {
    canvas.Blit(Find(kImages, name), 48 + cell % 5 * 88 + dx, 128 + cell / 5 * 56 + dy, mirrored);
  };
  put("marker_destination", ride.destination, 0, 0);
  const bool is_full = ride.waits_at == TaxiRide::kInside;
  if (!is_full) put("passenger", ride.waits_at, 35, 19);
  if (ride.facing < 2) {
    put(is_full ? "taxi_v_full" : "taxi_v", ride.taxi, 25, 0, {.y = ride.facing == 0});
  } else {
    put(is_full ? "taxi_h_full" : "taxi_h", ride.taxi, 15, 9, {.x = ride.facing == 3});
  }
}

void DrawBlackjack(View<uint8_t> rgb, const BlackjackTable& table) {
  constexpr Rgb kFelt{196, 216, 158};
  constexpr int kDigit = 36, kDigitGap = 12;
  Canvas canvas(rgb, kTableSize);
  canvas.Fill(kFelt);
  // The first column of something in the middle, on the art's grid of 4 pixels.
  const auto centered = [](int width) { return (kTableSize.width - width) / 2 / 4 * 4; };

  const Image& label = Find(kImages, "label_dealer");
  canvas.Blit(label, 40, 32);
  DrawNumber(canvas, table.dealer_card, "digit_small_", 4, 40 + label.width + 12, 32);
  canvas.Blit(Find(kImages, std::string("card_") + table.dealer_rank + table.suit), 96, 72);
  canvas.Blit(Find(kImages, "card_back"), 208, 72);

  canvas.Blit(Find(kImages, "label_player"), 40, 208);
  const int sum_width = table.player_sum < 10 ? kDigit : 2 * kDigit + kDigitGap;
  DrawNumber(canvas, table.player_sum, "digit_big_", kDigitGap, centered(sum_width), 248);
  if (!table.has_usable_ace) return;
  const Image& ace = Find(kImages, "label_usable_ace");
  canvas.Blit(ace, centered(ace.width), 328);
}

ImageSize CatchSize(const Grid& grid) {
  const int side = std::clamp(512 / std::max(grid.rows, grid.columns), 1, 32);
  return {.height = grid.rows * side, .width = grid.columns * side};
}

void DrawCatch(View<uint8_t> rgb, const Grid& grid, int ball, int paddle) {
  constexpr Rgb kLine{220, 220, 220}, kBall{204, 77, 77};
  Canvas canvas(rgb, CatchSize(grid));
  canvas.Fill(kWhite);
  const int side = CatchSize(grid).width / grid.columns;
  const auto rect_of = [&](int cell) {
    return Rect{cell % grid.columns * side, cell / grid.columns * side, side, side};
  };
  if (side > 4) {
    for (int cell = 0; cell < grid.cells(); ++cell) canvas.DrawFrame(rect_of(cell), kLine);
  }
  canvas.FillRect(rect_of(paddle), kBlack);
  const Rect at = rect_of(ball);
  canvas.FillCircle({at.x + side / 2.0, at.y + side / 2.0}, (side - 1) / 3, kBall);
}

}  // namespace parallel_pool::toy_text
