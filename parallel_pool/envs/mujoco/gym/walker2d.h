// Walk forwards, in a plane, on two legs: Gymnasium 1.4's Walker2d-v5 and -v4.
#pragma once

#include "parallel_pool/envs/mujoco/gym/planar_runner.h"

namespace parallel_pool::mujoco::gym {

template <int kVersion>
struct Walker2dBody {
  static constexpr PictureStyle kStyle = AboveOrigin(1.15, 4);
  static constexpr const char* kModel = kVersion == 4 ? "walker2d.xml" : "walker2d_v5.xml";
  static constexpr Numbers<2> kHealthyZ = {0.8, 2.0}, kHealthyAngle = {-1.0, 1.0};  // m, rad
  static constexpr bool kStateMatters = false;
};

template <int kVersion>
using Walker2d = PlanarRunner<Walker2dBody<kVersion>, kVersion>;

}  // namespace parallel_pool::mujoco::gym
