// Hop forwards, in a plane, on one leg: Gymnasium 1.4's Hopper-v5 and -v4.
#pragma once

#include "parallel_pool/envs/mujoco/gym/planar_runner.h"

namespace parallel_pool::mujoco::gym {

struct HopperBody {
  static constexpr PictureStyle kStyle = AboveOrigin(1.15, 3);
  static constexpr const char* kModel = "hopper.xml";
  static constexpr Numbers<2> kHealthyZ = {0.7, kInf}, kHealthyAngle = {-0.2, 0.2};  // m, rad
  static constexpr bool kStateMatters = true;
};

template <int kVersion>
using Hopper = PlanarRunner<HopperBody, kVersion>;

}  // namespace parallel_pool::mujoco::gym
