// Places and directions on the grid. x grows to the right, y downwards.
#pragma once

#include <array>

namespace parallel_pool::minigrid {

struct Point {
  int x = 0, y = 0;

  bool operator==(const Point&) const = default;
  constexpr Point operator+(Point other) const { return {x + other.x, y + other.y}; }
  constexpr Point operator-(Point other) const { return {x - other.x, y - other.y}; }
};

inline constexpr Point kNowhere = {-1, -1};

// Steps between the two without diagonals.
constexpr int Distance(Point a, Point b) {
  const Point d = a - b;
  return (d.x < 0 ? -d.x : d.x) + (d.y < 0 ? -d.y : d.y);
}

// At one place or next to each other, also diagonally.
constexpr bool AreNear(Point a, Point b) {
  const Point d = a - b;
  return d.x >= -1 && d.x <= 1 && d.y >= -1 && d.y <= 1;
}

// A rectangle of cells.
struct Area {
  Point top;  // its cell at the top left
  int width = 0, height = 0;

  constexpr bool Contains(Point p) const {
    return p.x >= top.x && p.y >= top.y && p.x < top.x + width && p.y < top.y + height;
  }
};

// A direction is 0 (right), 1 (down), 2 (left) or 3 (up); one more is a turn to the right.
inline constexpr std::array<Point, 4> kDirections = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};

}  // namespace parallel_pool::minigrid
