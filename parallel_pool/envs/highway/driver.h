// The drivers of other cars. IDM drivers keep their distance by the Intelligent Driver Model;
// linear ones by a linear controller, of which aggressive and defensive drivers have other weights.
// All change lanes by MOBIL (Kesting, Treiber and Helbing 2007).
#pragma once

#include "parallel_pool/core/random.h"
#include "parallel_pool/envs/highway/neighborhood.h"
#include "parallel_pool/envs/highway/traffic.h"

namespace parallel_pool::highway {

// The rules of a kind of driver.
DriverRules RulesOf(CarKind kind);

void SetUpDriver(Car& car);
// Draws how the driver drives.
void RandomizeDriver(Rng& rng, Car& car);
// A driver's decision, with its steering and acceleration.
void Drive(const Traffic& traffic, Neighborhood& neighborhood, Car& car);

}  // namespace parallel_pool::highway
