#include "parallel_pool/envs/highway/observations/lidar.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "parallel_pool/envs/highway/collision.h"

namespace parallel_pool::highway {
namespace {

double IntervalDistance(double a, double b, double c, double d) {
  return a < c ? c - b : a - d;
}

Point Unit(const Point& p) {
  const double norm = Norm(p);
  return {p.x / norm, p.y / norm};
}

// From the begin of a ray to a box; infinity if it misses it.
double DistanceTo(const Corners& box, const Point& begin, const Point& ray) {
  const auto along = [&](const Point& axis, const Point& near, const Point& far) {
    const double way = Dot(ray, axis);
    std::pair<double, double> part = {Dot(near - begin, axis) / way, Dot(far - begin, axis) / way};
    if (!(way >= 0)) std::swap(part.first, part.second);
    return part;
  };
  const auto u = along(Unit(box[1] - box[0]), box[0], box[1]);
  const auto v = along(Unit(box[3] - box[0]), box[0], box[3]);
  const bool hits = IntervalDistance(u.first, u.second, v.first, v.second) <= 0 &&
                    IntervalDistance(0, 1, u.first, u.second) <= 0 &&
                    IntervalDistance(0, 1, v.first, v.second) <= 0;
  if (!hits) return std::numeric_limits<double>::infinity();
  return (v.first > u.first ? v.first : u.first) * Norm(ray);
}

}  // namespace

int Lidar::CellOf(double angle) const {
  const int cell = static_cast<int>(std::floor(angle / angle_)) % cells_;
  return cell < 0 ? cell + cells_ : cell;
}

void Lidar::Mark(int cell, double distance, const Car& ego, const Car& other, float* out) const {
  if (!(distance <= static_cast<double>(out[2 * cell]))) return;
  const Point away = other.velocity() - ego.velocity();
  out[2 * cell] = static_cast<float>(distance);
  out[2 * cell + 1] = static_cast<float>(Dot(away, DirectionAt(cell)));
}

void Lidar::AddBox(const Car& ego, const Car& other, float* out) const {
  const Point apart = other.position - ego.position;
  const double distance = Norm(apart);
  if (distance > range_) return;
  const auto angle_to = [&](const Point& p) {
    return Arctan2(p.y - ego.position.y, p.x - ego.position.x) + angle_ / 2;
  };
  Mark(CellOf(angle_to(other.position)), distance - other.width / 2, ego, other, out);
  const Corners corners = CornersOf(other);
  double least = angle_to(corners[0]), most = least;
  for (const Point& corner : corners) {
    const double angle = angle_to(corner);
    least = std::min(least, angle);
    most = std::max(most, angle);
  }
  if (least < -kPi / 2 && kPi / 2 < most) {  // the box is behind
    least = std::exchange(most, least + 2 * kPi);
  }
  const int first = CellOf(least), last = CellOf(most);
  const int count = first < last ? last - first + 1 : cells_ - first + last + 1;
  for (int i = 0; i < count; ++i) {
    const int cell = (first + i) % cells_;
    const Point end = ego.position + range_ * DirectionAt(cell);
    Mark(cell, DistanceTo(corners, ego.position, end - ego.position), ego, other, out);
  }
}

void Lidar::Write(const Traffic& traffic, int ego, float* out) const {
  const Car& own = traffic.ego(ego);
  std::fill_n(out, 2 * cells_, static_cast<float>(range_));
  for (const Car& car : traffic.cars) {
    if (&car != &own) AddBox(own, car, out);
  }
  for (const Car& thing : traffic.things) {
    if (thing.kind == CarKind::kObstacle) AddBox(own, thing, out);
  }
  if (!normalize_) return;
  for (int i = 0; i < 2 * cells_; ++i) out[i] /= static_cast<float>(range_);
}

}  // namespace parallel_pool::highway
