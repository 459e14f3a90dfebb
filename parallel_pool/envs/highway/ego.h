// Following lanes, which egos and drivers do alike; and the egos, which choose lanes and speeds.
#pragma once

#include <span>

#include "parallel_pool/envs/highway/traffic.h"

namespace parallel_pool::highway {

enum class EgoAction { kLaneLeft, kIdle, kLaneRight, kFaster, kSlower };

// Near the end of its target lane a car targets the next one.
void FollowRoad(const Road& road, Car& car);
// The steering angle to the middle of a lane, in -pi / 3 .. pi / 3 (rad).
double SteeringTo(const Lane& lane, const Car& car);

// An ego's decision, with its steering and acceleration.
void Steer(const Traffic& traffic, EgoAction action, Car& car);

// The index of the closest of `speeds`, which are at least two, at equal distances.
int SpeedIndexOf(std::span<const double> speeds, double speed);
void SetSpeedIndex(std::span<const double> speeds, int index, Car& car);

}  // namespace parallel_pool::highway
