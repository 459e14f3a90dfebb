#include "parallel_pool/envs/highway/ego.h"

#include <algorithm>
#include <cmath>

namespace parallel_pool::highway {
namespace {

constexpr double kAccelerationTime = .6, kHeadingTime = .2, kLateralTime = .6;  // s
constexpr double kPursuitTime = .5 * kHeadingTime;                              // s
constexpr double kMostSteering = kPi / 3;                                       // rad

void ChangeLane(const Road& road, int by, Car& car) {
  const Road::Section& section = road.section(road.section_of(car.target_lane));
  const int last = section.first_lane + section.lanes - 1;
  const int wanted = std::clamp(car.target_lane + by, section.first_lane, last);
  if (road.lane(wanted).IsReachableFrom(car.position)) car.target_lane = wanted;
}

}  // namespace

void FollowRoad(const Road& road, Car& car) {
  if (!road.lane(car.target_lane).IsAfterEnd(car.position)) return;
  car.target_lane = road.Next(car.target_lane, car.route, car.position);
}

double SteeringTo(const Lane& lane, const Car& car) {
  const LanePoint p = lane.Locate(car.position);
  const double ahead = lane.HeadingAt(p.along + car.speed * kPursuitTime);
  const double speed = NotZero(car.speed);
  const double lateral_speed = -(1 / kLateralTime) * p.across;
  const double to_middle = Arcsin(Clip(lateral_speed / speed, -1, 1));
  const double heading = ahead + Clip(to_middle, -kPi / 4, kPi / 4);
  const double heading_rate = 1 / kHeadingTime * WrapToPi(heading - car.heading);
  const double slip = Arcsin(Clip(kCarLength / 2 / speed * heading_rate, -1, 1));
  return Clip(Arctan(2 * Tan(slip)), -kMostSteering, kMostSteering);
}

void Steer(const Traffic& traffic, EgoAction action, Car& car) {
  const Road& road = traffic.road();
  if (action == EgoAction::kFaster || action == EgoAction::kSlower) {
    const std::span<const double> speeds = traffic.rules().ego_speeds;
    const int index = SpeedIndexOf(speeds, car.speed) + (action == EgoAction::kFaster ? 1 : -1);
    SetSpeedIndex(speeds, std::clamp(index, 0, static_cast<int>(speeds.size()) - 1), car);
  }
  FollowRoad(road, car);
  if (action == EgoAction::kLaneLeft) ChangeLane(road, -1, car);
  if (action == EgoAction::kLaneRight) ChangeLane(road, 1, car);
  car.steering = SteeringTo(road.lane(car.target_lane), car);
  car.acceleration = 1 / kAccelerationTime * (car.target_speed - car.speed);
}

int SpeedIndexOf(std::span<const double> speeds, double speed) {
  const double last = static_cast<double>(speeds.size()) - 1;
  const double part = (speed - speeds.front()) / (speeds.back() - speeds.front());
  return static_cast<int>(Clip(std::nearbyint(part * last), 0, last));
}

void SetSpeedIndex(std::span<const double> speeds, int index, Car& car) {
  car.speed_index = index;
  car.target_speed = speeds[index];
}

}  // namespace parallel_pool::highway
