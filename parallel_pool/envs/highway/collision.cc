#include "parallel_pool/envs/highway/collision.h"

#include <algorithm>
#include <limits>

namespace parallel_pool::highway {
namespace {

Point CenterOf(const Corners& c) {
  return {(((c[0].x + c[1].x) + c[2].x) + c[3].x) / 4, (((c[0].y + c[1].y) + c[2].y) + c[3].y) / 4};
}

struct Interval {
  double low, high;

  // Negative if they overlap.
  double DistanceTo(const Interval& o) const { return low < o.low ? o.low - high : low - o.high; }
};

Interval Project(const Corners& corners, const Point& axis) {
  Interval all{Dot(corners[0], axis), 0};
  all.high = all.low;
  for (int i = 1; i < 4; ++i) {
    const double place = Dot(corners[i], axis);
    if (place < all.low) all.low = place;
    if (place > all.high) all.high = place;
  }
  return all;
}

struct Contact {
  bool touch = true, will_touch = true;
  Point way_out = {};  // of the first box, if they will touch
};

// The contact of two boxes, the first of which moves by `way` relative to the second.
Contact Meet(const Corners& a, const Corners& b, const Point& way) {
  Contact contact;
  double least = std::numeric_limits<double>::infinity();
  Point axis = {};
  for (const Corners* box : {&a, &b}) {
    for (int i = 0; i < 4; ++i) {
      const Point &from = (*box)[i], &to = (*box)[(i + 1) % 4];
      Point normal = {-to.y + from.y, to.x - from.x};
      const double norm = Norm(normal);
      normal = {normal.x / norm, normal.y / norm};
      Interval first = Project(a, normal);
      const Interval second = Project(b, normal);
      if (first.DistanceTo(second) > 0) contact.touch = false;
      const double moved = Dot(normal, way);
      (moved < 0 ? first.low : first.high) += moved;
      const double distance = first.DistanceTo(second);
      if (distance > 0) contact.will_touch = false;
      if (!contact.touch && !contact.will_touch) break;  // the other box is tried all the same
      if (std::abs(distance) >= least) continue;
      least = std::abs(distance);
      axis = Dot(CenterOf(a) - CenterOf(b), normal) > 0 ? normal : -normal;
    }
  }
  if (contact.will_touch) contact.way_out = least * axis;
  return contact;
}

}  // namespace

Corners CornersOf(const Car& car) {
  const auto [cos, sin] = car.direction;
  const double l = car.length / 2, w = car.width / 2;
  const auto corner = [&](double x, double y) {
    return Point{cos * x + -sin * y, sin * x + cos * y} + car.position;
  };
  return {corner(-l, -w), corner(-l, w), corner(l, w), corner(l, -w)};
}

void CollideNear(double dt, Car& car, Car& other) {
  const Point v = car.velocity(), u = other.velocity();
  const Contact contact = Meet(CornersOf(car), CornersOf(other), dt * v - dt * u);
  if (other.kind == CarKind::kLandmark) {
    other.is_crashed = other.is_crashed || contact.touch;
    return;
  }
  if (contact.will_touch) {
    const bool stands = other.kind == CarKind::kObstacle;
    const Point way = contact.way_out;
    car.push = stands ? way : Point{way.x / 2, way.y / 2};
    car.is_pushed = true;
    if (!stands) {
      other.push = {-way.x / 2, -way.y / 2};
      other.is_pushed = true;
    }
  }
  if (contact.touch) car.is_crashed = other.is_crashed = true;
}

}  // namespace parallel_pool::highway
