#include "parallel_pool/envs/highway/traffic.h"

#include <cmath>
#include <utility>

#include "parallel_pool/envs/highway/collision.h"
#include "parallel_pool/envs/highway/driver.h"
#include "parallel_pool/envs/highway/ego.h"
#include "parallel_pool/envs/highway/motion.h"
#include "parallel_pool/envs/highway/neighborhood.h"

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

void Traffic::Act() {
  thread_local Neighborhood neighborhood;
  neighborhood.Begin(*this);
  for (Car& car : cars) {
    if (car.kind == CarKind::kEgo) {
      Steer(*this, EgoAction::kIdle, car);
    } else if (car.is_driver()) {
      Drive(*this, neighborhood, car);
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
