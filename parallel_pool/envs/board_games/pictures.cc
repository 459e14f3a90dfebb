#include "parallel_pool/envs/board_games/pictures.h"

#include <array>

#include "parallel_pool/drawing/canvas.h"

namespace parallel_pool::board_games {
namespace {

using drawing::Canvas;
using drawing::kBlack;
using drawing::kWhite;
using drawing::Point;
using drawing::Rgb;

constexpr Rgb kRed{200, 40, 40}, kBlue{40, 80, 180};

// A bar of 10 pixels along a diagonal of the cell around `center`; `side` is 1 or -1.
void DrawBar(Canvas& canvas, Point center, double side) {
  constexpr double kLong = 32, kWide = 5;
  const std::array<Point, 4> corners = {
      center + Point{side * (-kLong - kWide), -kLong + kWide},
      center + Point{side * (-kLong + kWide), -kLong - kWide},
      center + Point{side * (kLong + kWide), kLong - kWide},
      center + Point{side * (kLong - kWide), kLong + kWide},
  };
  canvas.FillPolygon(corners, kRed);
}

}  // namespace

void DrawTicTacToe(std::span<const Stone> stones, View<uint8_t> rgb) {
  constexpr int kSide = 100, kRadius = 36, kHole = 26;  // pixels
  Canvas canvas(rgb, kTicTacToeSize);
  canvas.Fill(kWhite);
  for (const int line : {kSide, 2 * kSide}) {
    canvas.FillRect({line - 2, 10, 4, 280}, kBlack);
    canvas.FillRect({10, line - 2, 280, 4}, kBlack);
  }
  for (int cell = 0; cell < 9; ++cell) {
    const Point center = {cell % 3 * kSide + kSide / 2.0, cell / 3 * kSide + kSide / 2.0};
    if (stones[cell] == Stone::kFirst) {
      DrawBar(canvas, center, 1);
      DrawBar(canvas, center, -1);
    } else if (stones[cell] == Stone::kSecond) {
      canvas.FillCircle(center, kRadius, kBlue);
      canvas.FillCircle(center, kHole, kWhite);
    }
  }
}

void DrawConnectFour(std::span<const Stone> stones, View<uint8_t> rgb) {
  constexpr int kSide = 80, kRadius = 32, kColumns = 7;  // pixels, cells
  static constexpr Rgb kColors[] = {kWhite, kRed, kBlack};
  Canvas canvas(rgb, kConnectFourSize);
  canvas.Fill(kBlue);
  for (int cell = 0; cell < static_cast<int>(stones.size()); ++cell) {
    const Point center = {cell % kColumns * kSide + kSide / 2.0,
                          cell / kColumns * kSide + kSide / 2.0};
    canvas.FillCircle(center, kRadius, kColors[static_cast<int>(stones[cell])]);
  }
}

}  // namespace parallel_pool::board_games
