// The cars of one env on its road, and the things that stand there.
#pragma once

#include <memory>
#include <vector>

#include "parallel_pool/core/random.h"
#include "parallel_pool/envs/highway/car.h"

namespace parallel_pool::highway {

// How the drivers of a task drive: the parameters of the Intelligent Driver Model (Treiber,
// Hennecke and Helbing 2000), and MOBIL's.
struct DriverRules {
  CarKind kind = CarKind::kIdm;
  double jam_distance = 10;                               // m
  double comfort_acceleration = 3, comfort_braking = -5;  // m/s^2
  double time_gap = 1.5;                                  // s
  double least_gain = .2;  // of acceleration, by a change of lanes: m/s^2
};

struct TrafficRules {
  DriverRules drivers;
  CarKind ego_kind = CarKind::kEgo;
  std::vector<double> ego_speeds;     // m/s, of kEgo
  bool sees_connected_lanes = false;  // cars of lanes before and after are neighbors
  int most_cars = 64;                 // for which there is room without an allocation
  bool shows_green_egos = false;      // in pictures, egos are green even if they have crashed
};

class Traffic {
 public:
  Traffic(std::shared_ptr<const Road> road, TrafficRules rules);

  const Road& road() const { return *road_; }
  const TrafficRules& rules() const { return rules_; }
  const Lane& LaneOf(const Car& car) const { return road_->lane(car.lane); }
  const Car& ego(int i = 0) const { return cars[egos[i]]; }
  int num_egos() const { return static_cast<int>(egos.size()); }
  bool IsOnRoad(const Car& car) const {
    const Lane& lane = LaneOf(car);
    return lane.Contains(lane.Locate(car.position));
  }
  // m along the lane of `car`, to another one
  double GapBetween(const Car& car, const Car& other) const {
    const Lane& lane = LaneOf(car);
    return lane.Locate(other.position).along - lane.Locate(car.position).along;
  }

  // An empty road.
  void Clear();
  Car MakeCar(CarKind kind, Point position, double heading, double speed) const;
  Car MakeDriver(Point position, double heading, double speed) const {
    return MakeCar(rules_.drivers.kind, position, heading, speed);
  }
  Car MakeOnLane(CarKind kind, int lane, double along, double speed) const;
  // An ego in the middle of a lane, or at another place.
  void AddEgo(const Car& car);
  // Removes the cars for which `test` is true. Egos stay.
  template <class Test>
  void RemoveCars(const Test& test);

  // One frame: cars decide in Act, and then move for `dt` s.
  void Act();
  void Move(double dt);

  auto Saved() { return std::tie(cars, things, egos); }

  std::vector<Car> cars, things;
  std::vector<int> egos;  // the numbers of the players' cars

 private:
  std::shared_ptr<const Road> road_;
  TrafficRules rules_;
};

template <class Test>
void Traffic::RemoveCars(const Test& test) {
  size_t kept = 0, next_ego = 0;
  for (size_t i = 0; i < cars.size(); ++i) {
    const bool is_ego = next_ego < egos.size() && egos[next_ego] == static_cast<int>(i);
    if (!is_ego && test(cars[i])) continue;
    if (is_ego) egos[next_ego++] = static_cast<int>(kept);
    if (kept != i) cars[kept] = cars[i];
    ++kept;
  }
  cars.resize(kept);
}

}  // namespace parallel_pool::highway
