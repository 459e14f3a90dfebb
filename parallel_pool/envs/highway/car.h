// The cars of a road, and the things that stand on it.
#pragma once

#include <array>
#include <cstdint>

#include "parallel_pool/envs/highway/road.h"

namespace parallel_pool::highway {

inline constexpr double kCarLength = 5, kCarWidth = 2;  // m

// A kind says who moves a car.
enum class CarKind : uint8_t {
  kSteered,  // a player: steering and acceleration
  kBicycle,  // the same, with tires that slip
  kEgo,      // a player: a lane and one of some speeds
  kIdm,      // drivers; see driver.h
  kLinear,
  kAggressive,
  kDefensive,
  kObstacle,  // no car: stands still, and cars crash into it
  kLandmark,  // no car either: a place, which stops no car
};

// A car, or a thing, as it is between two frames. Plain data.
struct Car {
  CarKind kind = CarKind::kSteered;
  bool is_crashed = false;  // a landmark: a car has been there
  bool checks_collisions = true;
  bool is_pushed = false;  // by `push`, in the next frame
  bool changes_lanes = true;
  bool yields = false;  // to a car with the right of way

  Point position = {};
  Point direction = {1, 0};  // of the heading
  Point push = {};           // m, of a collision
  double heading = 0;        // rad
  double speed = 0;          // m/s
  double steering = 0;       // rad
  double acceleration = 0;   // m/s^2
  double length = kCarLength, width = kCarWidth;
  double diagonal = 0;
  double min_speed = -40, max_speed = 40;

  int lane = 0;          // the closest one
  int target_lane = -1;  // the one that it follows; -1: it follows none
  int speed_index = -1;  // of an ego's speeds
  double target_speed = 0;
  Route route;

  double timer = 0;                                 // s, of a driver's lane changes
  double exponent = 4;                              // of the IDM's term of free roads
  std::array<double, 3> acceleration_weights = {};  // of linear drivers: speed, front speed, gap
  std::array<double, 2> steering_weights = {};      // heading, lateral place

  double lateral_speed = 0, yaw_rate = 0;  // of a bicycle: m/s, rad/s

  bool is_car() const { return kind < CarKind::kObstacle; }
  bool follows_lanes() const { return kind >= CarKind::kEgo && is_car(); }
  bool is_driver() const { return kind > CarKind::kEgo && is_car(); }
  Point velocity() const { return speed * direction; }

  void SetHeading(double angle) {
    heading = angle;
    direction = DirectionOf(angle);
  }
  void SetSize(double new_length, double new_width) {
    length = new_length;
    width = new_width;
    diagonal = std::sqrt(length * length + width * width);
  }
};

}  // namespace parallel_pool::highway
