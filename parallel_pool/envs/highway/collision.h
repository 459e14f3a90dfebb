// Collisions of boxes, by the theorem of separating axes.
#pragma once

#include <array>

#include "parallel_pool/envs/highway/car.h"

namespace parallel_pool::highway {

// The corners of a box: left rear, right rear, right front, left front.
using Corners = std::array<Point, 4>;
Corners CornersOf(const Car& car);

// As Collide, of boxes that are near each other.
void CollideNear(double dt, Car& car, Car& other);

// Lets a car collide with another car or a thing. Boxes that touch are crashed at once. Boxes that
// would touch within `dt` s are pushed apart in the next frame.
inline void Collide(double dt, Car& car, Car& other) {
  if (!car.checks_collisions && !other.checks_collisions) return;
  const Point apart = other.position - car.position;
  const double reach = (car.diagonal + other.diagonal) / 2 + car.speed * dt;
  if (std::abs(apart.x) > reach || Norm(apart) > reach) return;
  CollideNear(dt, car, other);
}

}  // namespace parallel_pool::highway
