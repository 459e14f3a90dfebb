#include "parallel_pool/envs/highway/traffic.h"

#include <cmath>
#include <utility>

#include "parallel_pool/envs/highway/collision.h"
#include "parallel_pool/envs/highway/driver.h"
#include "parallel_pool/envs/highway/ego.h"
#include "parallel_pool/envs/highway/motion.h"

namespace parallel_pool::highway {

Traffic::Traffic(std::shared_ptr<const Road> road, TrafficRules rules)
    : road_(std::move(road)), rules_(std::move(rules)) {
  constexpr int kMostThings = 80;
  cars.reserve(rules_.most_cars);
  egos.reserve(rules_.most_cars);
  things.reserve(kMostThings);
}

void Traffic::Clear() {
  cars.clear();
  things.clear();
  egos.clear();
}

Car Traffic::MakeCar(CarKind kind, Point position, double heading, double speed) const {
  Car car;
  car.kind = kind;
  car.position = position;
  car.SetHeading(heading);
  car.speed = speed;
  car.SetSize(car.is_car() ? kCarLength : 2, kCarWidth);
  car.lane = road_->Closest(position, heading);
  if (!car.follows_lanes()) return car;
  car.target_lane = car.lane;
  if (kind == CarKind::kEgo) {
    SetSpeedIndex(rules_.ego_speeds, SpeedIndexOf(rules_.ego_speeds, speed), car);
  } else {
    SetUpDriver(car);
  }
  return car;
}

Car Traffic::MakeOnLane(CarKind kind, int lane, double along, double speed) const {
  const Lane& l = road_->lane(lane);
  return MakeCar(kind, l.MiddleAt(along), l.HeadingAt(along), speed);
}

void Traffic::AddEgo(const Car& car) {
  egos.push_back(static_cast<int>(cars.size()));
  cars.push_back(car);
}

Traffic::Neighbors Traffic::NeighborsOf(const Car& car, int lane) const {
  const double own = road_->lane(lane).Locate(car.position).along;
  auto lanes = road_->connections(lane);
  if (!rules_.sees_connected_lanes) lanes = lanes.first(1);
  Neighbors found{nullptr, nullptr};
  double front = 0, rear = 0;
  const auto look_at = [&](const Car& other) {
    if (&other == &car || other.kind == CarKind::kLandmark) return;
    for (const Road::Connection& c : lanes) {
      const Lane& l = road_->lane(c.lane);
      const LanePoint p = l.Locate(other.position);
      if (!l.Contains(p, 1)) continue;
      const double along = p.along + c.shift;
      if (own <= along) {
        // The last one of several at one place is in front.
        if (found.front == nullptr || along <= front) {
          front = along;
          found.front = &other;
        }
      } else if (found.rear == nullptr || along > rear) {
        rear = along;
        found.rear = &other;
      }
      return;
    }
  };
  for (const Car& other : cars) look_at(other);
  for (const Car& other : things) look_at(other);
  return found;
}

void Traffic::Act() {
  for (Car& car : cars) {
    if (car.kind == CarKind::kEgo) {
      Steer(*this, EgoAction::kIdle, car);
    } else if (car.is_driver()) {
      Drive(*this, car);
    }
  }
}

void Traffic::Move(double dt) {
  for (Car& car : cars) {
    if (car.is_driver()) car.timer += dt;
    highway::Move(dt, car);
    car.lane = road_->Closest(car.position, car.heading, car.lane);
  }
  for (size_t i = 0; i < cars.size(); ++i) {
    for (size_t j = i + 1; j < cars.size(); ++j) Collide(dt, cars[i], cars[j]);
    for (Car& thing : things) Collide(dt, cars[i], thing);
  }
}

}  // namespace parallel_pool::highway
