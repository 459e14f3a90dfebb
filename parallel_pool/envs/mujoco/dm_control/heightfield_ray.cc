// The arithmetic of what a ray hits is MuJoCo's, operation for operation; the choice of the
// triangles is not.
#include "parallel_pool/envs/mujoco/dm_control/heightfield_ray.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace parallel_pool::mujoco::dm_control {
namespace {

using Vector = std::array<double, 3>;
constexpr mjtNum kIdentity[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

double Dot3(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector Minus(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Vector Cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector Normalized(Vector v) {
  mju_normalize3(v.data());
  return v;
}

// A ray in the axes of the heightfield, with two more axes at right angles to it.
struct Ray {
  Ray(const Vector& point, const Vector& direction) : origin(point), along(direction) {
    const Vector size = {std::abs(along[0]), std::abs(along[1]), std::abs(along[2])};
    Vector other = {1, 1, 1};
    other[size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2] = 0;
    const double scale = -Dot3(along, other) / Dot3(along, along);
    for (int i = 0; i < 3; ++i) axis1[i] = other[i] + along[i] * scale;
    axis1 = Normalized(axis1);
    axis0 = Normalized(Cross(axis1, along));
  }
  double At(int i, double distance) const { return origin[i] + distance * along[i]; }

  Vector origin, along, axis0, axis1;
};

// The distance to a triangle; negative: none.
double RayToTriangle(const Ray& ray, const Vector& v0, const Vector& v1, const Vector& v2) {
  double x[3], y[3];  // the corners, seen along the ray
  const Vector* const corners[] = {&v0, &v1, &v2};
  for (int i = 0; i < 3; ++i) {
    const Vector from_origin = Minus(*corners[i], ray.origin);
    x[i] = Dot3(ray.axis0, from_origin);
    y[i] = Dot3(ray.axis1, from_origin);
  }
  const auto has_one_sign = [](const double (&c)[3]) {
    return (c[0] > 0 && c[1] > 0 && c[2] > 0) || (c[0] < 0 && c[1] < 0 && c[2] < 0);
  };
  if (has_one_sign(x) || has_one_sign(y)) return -1;

  // The ray's coordinates in the triangle.
  const double a = x[0] - x[2], b = x[1] - x[2], c = y[0] - y[2], d = y[1] - y[2];
  const double determinant = a * d - b * c;
  if (std::abs(determinant) < mjMINVAL) return -1;
  const double t0 = (d * -x[2] - b * -y[2]) / determinant;
  const double t1 = (-c * -x[2] + a * -y[2]) / determinant;
  if (t0 < 0 || t1 < 0 || t0 + t1 > 1) return -1;

  const Vector normal = Cross(Minus(v0, v2), Minus(v1, v2));
  const double slope = Dot3(ray.along, normal);
  if (std::abs(slope) < mjMINVAL) return -1;
  return -Dot3(Minus(ray.origin, v2), normal) / slope;
}

// The box from the heightfield's lowest to its highest point.
struct Crossing {
  double nearest = -1;                                     // distance; negative: none
  std::array<double, 6> sides = {-1, -1, -1, -1, -1, -1};  // distances: -x, x, -y, y, -z, z
};
Crossing CrossBox(const Vector& origin, const Vector& along, const Vector& half) {
  Crossing crossing;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(along[i]) <= mjMINVAL) continue;
    const int j = i == 0 ? 1 : 0, k = i == 2 ? 1 : 2;
    for (int side = 0; side < 2; ++side) {
      const double distance = ((side == 0 ? -half[i] : half[i]) - origin[i]) / along[i];
      if (!(distance >= 0)) continue;
      if (std::abs(origin[j] + distance * along[j]) > half[j]) continue;
      if (std::abs(origin[k] + distance * along[k]) > half[k]) continue;
      crossing.sides[2 * i + side] = distance;
      if (crossing.nearest < 0 || distance < crossing.nearest) crossing.nearest = distance;
    }
  }
  return crossing;
}

// The heightfield in its own axes. Cell (i, j) has the points i and i + 1 of direction x and the
// points j and j + 1 of direction y.
class Field {
 public:
  Field(const mjModel& model, int id)
      : size_(model.hfield_size + 4 * id),
        points_{model.hfield_ncol[id], model.hfield_nrow[id]},
        step_{2.0 * size_[0] / (points_[0] - 1), 2.0 * size_[1] / (points_[1] - 1)},
        data_(model.hfield_data + model.hfield_adr[id]) {}

  // `nearest` or the distance to a triangle, if that is nearer.
  double HitTriangles(const Ray& ray, const Crossing& crossing, double nearest) const;
  // `nearest` or the distance to a side of the box, if the ray crosses it below the edge of the
  // heightfield.
  double HitSides(const Ray& ray, const Crossing& crossing, double nearest) const;

 private:
  struct Range { int begin, end; };

  double Height(int i, int j) const { return data_[j * points_[0] + i] * size_[2]; }
  Vector Point(int i, int j) const {
    return {step_[0] * i - size_[0], step_[1] * j - size_[1], Height(i, j)};
  }
  // The cells of direction `i` in MuJoCo's rectangle around the positions `from` and `to`.
  Range Window(int i, double from, double to) const {
    return {std::max(0, static_cast<int>(std::floor(std::min(from, to))) - 1),
            std::min(points_[i] - 1, static_cast<int>(std::ceil(std::max(from, to))) + 1)};
  }
  double HitCell(const Ray& ray, int i, int j, double nearest) const {
    const Vector v0 = Point(i, j), v2 = Point(i + 1, j + 1);
    for (const double distance : {RayToTriangle(ray, v0, Point(i + 1, j), v2),
                                  RayToTriangle(ray, v0, v2, Point(i, j + 1))}) {
      if (distance >= 0 && (nearest < 0 || distance < nearest)) nearest = distance;
    }
    return nearest;
  }
  // Whether the heights in a cell overlap those from `low` to `high`.
  bool MayBeHit(int i, int j, double low, double high) const {
    const double a = Height(i, j), b = Height(i + 1, j);
    const double c = Height(i, j + 1), d = Height(i + 1, j + 1);
    return std::max(std::max(a, b), std::max(c, d)) >= low &&
           std::min(std::min(a, b), std::min(c, d)) <= high;
  }

  const mjtNum* const size_;
  const std::array<int, 2> points_;
  const std::array<double, 2> step_;
  const float* const data_;
};

double Field::HitTriangles(const Ray& ray, const Crossing& crossing, double nearest) const {
  double begin = 0, end = crossing.nearest;
  for (const double side : crossing.sides) {
    if (side > end) begin = crossing.nearest, end = side;
  }
  double from[2], to[2];  // positions, in cells
  Range window[2];
  for (int i = 0; i < 2; ++i) {
    from[i] = (ray.At(i, begin) + size_[i]) / step_[i];
    to[i] = (ray.At(i, end) + size_[i]) / step_[i];
    window[i] = Window(i, from[i], to[i]);
  }
  // Slices of cells at right angles to the direction in which the ray is longest.
  const int x = std::abs(to[0] - from[0]) >= std::abs(to[1] - from[1]) ? 0 : 1, y = 1 - x;
  const double length = to[x] - from[x];
  const bool is_short = std::abs(length) < 1;
  for (int i = window[x].begin; i < window[x].end; ++i) {
    Range cells = window[y];
    double low = -mjMAXVAL, high = mjMAXVAL;
    if (!is_short) {
      // The ray's part within the slice. The margin, in cells, is far more than what is rounded.
      constexpr double kMargin = .01;
      const double t0 = (i - kMargin - from[x]) / length;
      const double t1 = (i + 1 + kMargin - from[x]) / length;
      const double y0 = from[y] + t0 * (to[y] - from[y]), y1 = from[y] + t1 * (to[y] - from[y]);
      cells.begin = std::max(cells.begin, static_cast<int>(std::floor(std::min(y0, y1) - kMargin)));
      cells.end = std::min(cells.end, static_cast<int>(std::floor(std::max(y0, y1) + kMargin)) + 1);
      const double z0 = ray.At(2, begin + t0 * (end - begin));
      const double z1 = ray.At(2, begin + t1 * (end - begin));
      low = std::min(z0, z1) - kMargin * step_[x];
      high = std::max(z0, z1) + kMargin * step_[x];
    }
    for (int j = cells.begin; j < cells.end; ++j) {
      const int column = x == 0 ? i : j, row = x == 0 ? j : i;
      if (MayBeHit(column, row, low, high)) nearest = HitCell(ray, column, row, nearest);
    }
  }
  return nearest;
}

double Field::HitSides(const Ray& ray, const Crossing& crossing, double nearest) const {
  for (int side = 0; side < 4; ++side) {
    const double distance = crossing.sides[side];
    if (distance < 0 || !(distance < nearest || nearest < 0)) continue;
    const int y = side < 2 ? 1 : 0;
    const double position = (ray.At(y, distance) + size_[y]) / step_[y];
    const int below = std::clamp(static_cast<int>(std::floor(position)), 0, points_[y] - 2);
    const int edge = side % 2 == 0 ? 0 : points_[1 - y] - 1;
    const auto part = [&](int i) {
      return static_cast<double>(y == 1 ? data_[i * points_[0] + edge]
                                        : data_[edge * points_[0] + i]);
    };
    const double height =
        part(below) * (below + 1 - position) + part(below + 1) * (position - below);
    if (ray.At(2, distance) / size_[2] < height) nearest = distance;
  }
  return nearest;
}

}  // namespace

double RayToHeightfield(const mjModel& model, const mjData& data, int geom, const mjtNum* point,
                        const mjtNum* direction) {
  const int id = model.geom_dataid[geom];
  const mjtNum* const size = model.hfield_size + 4 * id;
  const mjtNum* const place = data.geom_xpos + 3 * geom;
  const auto from = [&](double z) {
    return Vector{point[0] - place[0], point[1] - place[1], point[2] - z};
  };
  const Vector along = {direction[0], direction[1], direction[2]};

  // The box below the lowest point.
  const mjtNum base[] = {place[0], place[1], place[2] - size[3] * 0.5};
  const mjtNum base_size[] = {size[0], size[1], size[3] * 0.5};
  const double nearest =
      mju_rayGeom(base, kIdentity, base_size, point, direction, mjGEOM_BOX, nullptr);

  const Crossing crossing =
      CrossBox(from(place[2] + size[2] * 0.5), along, {size[0], size[1], size[2] * 0.5});
  if (crossing.nearest < 0) return nearest;
  const Ray ray(from(place[2]), along);
  const Field field(model, id);
  return field.HitSides(ray, crossing, field.HitTriangles(ray, crossing, nearest));
}

}  // namespace parallel_pool::mujoco::dm_control
