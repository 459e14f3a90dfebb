#include "parallel_pool/envs/foraging/pictures.h"

#include <algorithm>

#include "parallel_pool/drawing/canvas.h"

namespace parallel_pool::foraging {
namespace {

using drawing::Canvas;
using drawing::Point;
using drawing::Rgb;

constexpr int kSide = 40;  // of a cell, in pixels
constexpr Rgb kGround{236, 232, 214}, kLine{205, 200, 180}, kApple{200, 50, 45},
    kForager{50, 90, 170};

// Up to nine dots in rows of three.
void DrawLevel(Canvas& canvas, Cell place, int level) {
  constexpr int kRadius = 2, kPitch = 8;  // pixels
  for (int dot = 0; dot < std::min(level, 9); ++dot) {
    const Point center = {place.column * kSide + kSide / 2.0 + (dot % 3 - 1) * kPitch,
                          place.row * kSide + kSide / 2.0 + (dot / 3 - 1) * kPitch};
    canvas.FillCircle(center, kRadius, drawing::kWhite);
  }
}

}  // namespace

ImageSize PictureSize(const Config& config) {
  return {.height = config.rows * kSide, .width = config.columns * kSide};
}

void Draw(const Config& config, const Field& field, View<uint8_t> rgb) {
  constexpr int kMargin = 5;  // pixels
  Canvas canvas(rgb, PictureSize(config));
  canvas.Fill(kGround);
  for (int row = 0; row < config.rows; ++row) {
    for (int column = 0; column < config.columns; ++column) {
      canvas.DrawFrame({column * kSide, row * kSide, kSide, kSide}, kLine);
    }
  }
  for (const Food& food : field.foods()) {
    if (food.level == 0) continue;
    canvas.FillCircle(
        {food.place.column * kSide + kSide / 2.0, food.place.row * kSide + kSide / 2.0},
        kSide / 2 - kMargin, kApple);
    DrawLevel(canvas, food.place, food.level);
  }
  for (const Forager& player : field.players()) {
    canvas.FillRect({player.place.column * kSide + kMargin, player.place.row * kSide + kMargin,
                     kSide - 2 * kMargin, kSide - 2 * kMargin},
                    kForager);
    DrawLevel(canvas, player.place, player.level);
  }
}

std::string TextOf(const Config& config, const Field& field) {
  const int width = 2 * config.columns;  // characters of a line: each cell is followed by one
  std::string text;
  for (int row = 0; row < config.rows; ++row) {
    for (int column = 0; column < config.columns; ++column) text += ". ";
    text.back() = '\n';
  }
  const auto put = [&](Cell cell, char c) { text[cell.row * width + 2 * cell.column] = c; };
  for (const Food& food : field.foods()) {
    if (food.level > 0) put(food.place, static_cast<char>(food.level > 9 ? '+' : '0' + food.level));
  }
  char letter = 'A';
  for (const Forager& player : field.players()) {
    put(player.place, letter);
    letter = letter == 'Z' ? 'a' : static_cast<char>(letter + 1);
  }
  return text;
}

}  // namespace parallel_pool::foraging
