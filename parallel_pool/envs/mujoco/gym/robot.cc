#include "parallel_pool/envs/mujoco/gym/robot.h"

#include <algorithm>

namespace parallel_pool::mujoco::gym {

Robot::Robot(const Model& model, int frame_skip, Rng& rng, unsigned reads)
    : Simulation(model, reads),
      frame_skip_(frame_skip),
      rng_(rng),
      start_qpos_(model->nq),
      start_qvel_(model->nv) {}

double* Robot::FirstPositions() {
  std::copy_n(model().qpos0, model().nq, start_qpos_.begin());
  return start_qpos_.data();
}

double* Robot::FirstSpeeds() {
  std::ranges::fill(start_qvel_, 0.0);
  return start_qvel_.data();
}

double* Robot::DrawPositions(double scale) {
  for (int i = 0; i < model().nq; ++i) {
    start_qpos_[i] = model().qpos0[i] + rng_.Uniform(-scale, scale);
  }
  return start_qpos_.data();
}

double* Robot::DrawSpeeds(double scale) {
  for (double& speed : start_qvel_) speed = rng_.Uniform(-scale, scale);
  return start_qvel_.data();
}

double* Robot::DrawNormalSpeeds(double deviation) {
  for (double& speed : start_qvel_) speed = deviation * Normal(rng_);
  return start_qvel_.data();
}

}  // namespace parallel_pool::mujoco::gym
