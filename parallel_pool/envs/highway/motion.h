// How cars move: one frame of a car, given its steering and acceleration.
#pragma once

#include <array>

#include "parallel_pool/envs/highway/car.h"

namespace parallel_pool::highway {

// Moves a car for `dt` s. Its lane stays.
void Move(double dt, Car& car);

// The rates of a bicycle model: x, y, heading, speed, lateral speed, yaw rate (Rajamani 2011,
// Vehicle Dynamics and Control, chapter 2).
using BicycleState = std::array<double, 6>;
BicycleState StateOf(const Car& car);
BicycleState RatesOf(const Car& car, const BicycleState& state);

}  // namespace parallel_pool::highway
