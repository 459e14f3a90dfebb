// Pictures of the envs, in the colors and sizes of Gymnasium 1.4's pictures.
#pragma once

#include <cstdint>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/spec.h"

namespace parallel_pool::classic_control {

inline constexpr ImageSize kTrackSize{.height = 400, .width = 600};  // CartPole and the cars
inline constexpr ImageSize kSwingSize{.height = 500, .width = 500};  // the pendulums

// `x` in m, `theta` in rad from upright.
void DrawCartPole(View<uint8_t> rgb, double x, double theta);
// `position` of the car, and `goal`, that of the flag.
void DrawMountainCar(View<uint8_t> rgb, double position, double goal);
// `theta` in rad from upright; an arrow shows the `torque` in N m.
void DrawPendulum(View<uint8_t> rgb, double theta, double torque);
// Angles in rad: of the first link from hanging down, of the second link from the first.
void DrawAcrobot(View<uint8_t> rgb, double theta1, double theta2);

}  // namespace parallel_pool::classic_control
