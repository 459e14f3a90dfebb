#include "parallel_pool/envs/rware/pictures.h"

#include "parallel_pool/drawing/canvas.h"

namespace parallel_pool::rware {
namespace {

using drawing::Canvas;
using drawing::Point;
using drawing::Rgb;

constexpr int kSide = 30;  // of a cell, in pixels
constexpr Rgb kLine{215, 215, 215}, kGoal{110, 110, 110}, kShelf{90, 90, 160},
    kRequested{240, 150, 30}, kFree{40, 140, 80}, kLoaded{200, 50, 45};

void DrawCell(Canvas& canvas, const Warehouse& warehouse, Cell cell) {
  constexpr int kMargin = 3;  // pixels
  canvas.DrawFrame({cell.x * kSide, cell.y * kSide, kSide, kSide}, kLine);
  const int32_t shelf = warehouse.shelf_at(cell);
  if (shelf == kNobody) return;
  canvas.FillRect({cell.x * kSide + kMargin, cell.y * kSide + kMargin, kSide - 2 * kMargin,
                   kSide - 2 * kMargin},
                  warehouse.is_requested(shelf) ? kRequested : kShelf);
}

void DrawAgent(Canvas& canvas, const Agent& agent) {
  constexpr int kRadius = 9;  // pixels
  static constexpr Point kAhead[kDirections] = {{0, -1}, {0, 1}, {-1, 0}, {1, 0}};
  const Point center = {(agent.place.x + 0.5) * kSide, (agent.place.y + 0.5) * kSide};
  canvas.FillCircle(center, kRadius, agent.shelf != kNobody ? kLoaded : kFree);
  const Point ahead = kAhead[agent.direction];
  for (const double side : {-1.0, 0.0, 1.0}) {  // a line three pixels wide
    const Point from = center + Point{side * ahead.y, side * ahead.x};
    canvas.DrawLine(from, from + Point{ahead.x * kRadius, ahead.y * kRadius}, drawing::kWhite);
  }
}

}  // namespace

ImageSize PictureSize(const Layout& floor) {
  return {.height = floor.rows * kSide, .width = floor.columns * kSide};
}

void Draw(const Warehouse& warehouse, View<uint8_t> rgb) {
  const Layout& floor = warehouse.floor();
  Canvas canvas(rgb, PictureSize(floor));
  canvas.Fill(drawing::kWhite);
  for (const Cell& goal : floor.goals) {
    canvas.FillRect({goal.x * kSide, goal.y * kSide, kSide, kSide}, kGoal);
  }
  for (int32_t y = 0; y < floor.rows; ++y) {
    for (int32_t x = 0; x < floor.columns; ++x) DrawCell(canvas, warehouse, {x, y});
  }
  for (const Agent& agent : warehouse.agents()) DrawAgent(canvas, agent);
}

std::string TextOf(const Warehouse& warehouse) {
  static constexpr char kArrows[kDirections + 1] = "^v<>";
  const Layout& floor = warehouse.floor();
  std::string text;
  for (int32_t y = 0; y < floor.rows; ++y) {
    for (int32_t x = 0; x < floor.columns; ++x) {
      const int32_t shelf = warehouse.shelf_at({x, y});
      text += shelf == kNobody ? '.' : warehouse.is_requested(shelf) ? 'X' : 'x';
    }
    text += '\n';
  }
  const auto at = [&](Cell cell) -> char& { return text[cell.y * (floor.columns + 1) + cell.x]; };
  for (const Cell& goal : floor.goals) {
    if (at(goal) == '.') at(goal) = 'g';
  }
  for (const Agent& agent : warehouse.agents()) at(agent.place) = kArrows[agent.direction];
  return text;
}

}  // namespace parallel_pool::rware
