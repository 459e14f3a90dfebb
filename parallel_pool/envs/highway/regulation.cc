#include "parallel_pool/envs/highway/regulation.h"

#include <cmath>

#include "parallel_pool/envs/highway/motion.h"

namespace parallel_pool::highway {
namespace {

constexpr int kFrequency = 2;  // Hz
constexpr double kStep = .25;  // s

// A car with room around it.
constexpr double kHalfLength = 1.5 * kCarLength / 2, kHalfWidth = .9 * kCarWidth / 2;

// numpy.matmul of a matrix of 2 columns and one with many.
double RowOf(double p, double q, double x, double y) {
  return NumpyArithmetic().fuses_matmul ? std::fma(q, y, p * x) : p * x + q * y;
}

// Whether a corner of the first box, its middle or that of one of its edges is in the second one.
// As in highway-env, points are turned by the heading of the second box, not back.
bool HasPointIn(const Point& a, const Point& a_way, const Point& b, const Point& b_way) {
  constexpr double l = kHalfLength, w = kHalfWidth;
  constexpr Point kPoints[] = {{-l, -w}, {-l, w}, {l, w},  {l, -w}, {0, 0},
                               {-l, 0},  {l, 0},  {0, -w}, {0, w}};
  for (const Point& p : kPoints) {
    const Point turned = {RowOf(a_way.x, -a_way.y, p.x, p.y), RowOf(a_way.y, a_way.x, p.x, p.y)};
    const Point in_b = Turned(b_way, turned + a - b);
    if (-l <= in_b.x && in_b.x <= l && -w <= in_b.y && in_b.y <= w) return true;
  }
  return false;
}

// m that `other` is ahead of `car`
double Ahead(const Car& car, const Car& other) {
  return Dot(car.direction, other.position - car.position);
}

bool MustYield(const Traffic& traffic, const Car& car, const Car& other) {
  const int own = traffic.LaneOf(car).traits().priority;
  const int others = traffic.LaneOf(other).traits().priority;
  return own < others || (own == others && Ahead(car, other) > Ahead(other, car));
}

}  // namespace

void Regulation::Frame(double dt, Traffic& traffic) {
  ++frames_;
  if (frames_ % static_cast<int>(1 / dt / kFrequency) == 0) Apply(traffic, paths_);
}

void Regulation::Predict(const Traffic& traffic, const Car& car, Path* path) {
  if (!car.follows_lanes()) {
    Car moved = car;
    moved.acceleration = 0;
    for (int t = 0; t < kTimes; ++t) {
      Move(kStep, moved);
      path->positions[t] = moved.position;
      path->headings[t] = moved.heading;
      path->lanes[t] = -1;
    }
    return;
  }
  const Road& road = traffic.road();
  const int place = road.place_of(car.lane);
  const double begin = road.lane(car.lane).Locate(car.position).along;
  const auto lane_of = [&](const RouteStep& step) {
    return road.section(step.section).first_lane + (step.number == kAnyLane ? place : step.number);
  };
  for (int t = 0; t < kTimes; ++t) {
    double along = begin + car.speed * (kStep * (t + 1));
    int lane = car.route.empty() ? car.lane : lane_of(car.route.front());
    for (int k = 1; k < car.route.size() && along > road.lane(lane).length(); ++k) {
      along -= road.lane(lane).length();
      lane = lane_of(car.route[k]);
    }
    path->positions[t] = road.lane(lane).MiddleAt(along);
    path->lanes[t] = lane;
    path->along[t] = along;
  }
}

Regulation::Place Regulation::PlaceAt(const Road& road, const Path& path, int time) {
  const int lane = path.lanes[time];
  const double heading =
      lane < 0 ? path.headings[time] : road.lane(lane).HeadingAt(path.along[time]);
  return {path.positions[time], DirectionOf(heading)};
}

bool Regulation::WillMeet(const Road& road, const Path& a, const Path& b) {
  for (int t = 0; t < kTimes; ++t) {
    if (Norm(b.positions[t] - a.positions[t]) > kCarLength) continue;
    const Place p = PlaceAt(road, a, t), q = PlaceAt(road, b, t);
    if (HasPointIn(p.position, p.direction, q.position, q.direction) ||
        HasPointIn(q.position, q.direction, p.position, p.direction)) {
      return true;
    }
  }
  return false;
}

void Regulation::Apply(Traffic& traffic, std::vector<Path>& paths) {
  for (Car& car : traffic.cars) {
    if (!car.yields) continue;
    car.target_speed = traffic.LaneOf(car).traits().speed_limit;
    car.yields = false;
  }
  paths.resize(traffic.cars.size());
  for (size_t i = 0; i < paths.size(); ++i) Predict(traffic, traffic.cars[i], &paths[i]);
  for (size_t i = 0; i < paths.size(); ++i) {
    for (size_t j = i + 1; j < paths.size(); ++j) {
      if (!WillMeet(traffic.road(), paths[i], paths[j])) continue;
      Car &first = traffic.cars[i], &second = traffic.cars[j];
      Car& yielding = MustYield(traffic, first, second) ? first : second;
      if (!yielding.is_driver()) continue;
      yielding.target_speed = 0;
      yielding.yields = true;
    }
  }
}

}  // namespace parallel_pool::highway
