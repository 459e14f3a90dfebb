#include "parallel_pool/envs/mujoco/dm_control/task.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace parallel_pool::mujoco::dm_control {
namespace {

// A number as a person would write it.
std::string Text(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", number);
  return text;
}

}  // namespace

Options<TaskConfig> TaskConfig::Describe() {
  using C = TaskConfig;
  return {
      Option<&C::time_limit>("time_limit", "length of an episode, in s", {.min = 0}),
      Option<&C::control_timestep>("control_timestep",
                                   "time for which an action is held, in s; 0: by n_sub_steps",
                                   {.min = 0}),
      Option<&C::frame_skip>("n_sub_steps", "steps of the model for which an action is held",
                             {.min = 1}),
      Option<&C::max_episode_steps>(
          "max_episode_steps", "time limit in steps; by default that of time_limit", {.min = 1}),
      Option<&C::flat_observation>("flat_observation", "one array, observations, in place of all"),
      Option<&C::legacy_step>("legacy_step",
                              "False: derived quantities, such as xpos, are a step old"),
      Option<&C::visualize_reward>("visualize_reward", "colors in pictures show the reward"),
  };
}

void TaskConfig::Complete(const std::string& model_file) {
  model = LoadTaskModel("dm_control", model_file, model_file, 0, {});
  if (control_timestep > 0) SetFrameSkip();
  constexpr int kNoLimit = std::numeric_limits<int32_t>::max();
  const double limit = std::max(1.0, std::ceil(step_limit()));
  max_episode_steps = limit < kNoLimit ? static_cast<int>(limit) : kNoLimit;
}

void TaskConfig::SetFrameSkip() {
  const double steps = control_timestep / model->opt.timestep;
  if (std::rint(steps) < 1 || std::abs(steps - std::rint(steps)) > 1e-8) {
    throw std::invalid_argument("control_timestep is " + Text(control_timestep) +
                                "; it must be a multiple of the model's step, " +
                                Text(model->opt.timestep) + " s");
  }
  frame_skip = static_cast<int>(std::rint(steps));
}

void TaskConfig::Check() const {
  if (control_timestep == 0) return;
  if (frame_skip == std::rint(control_timestep / model->opt.timestep)) return;
  throw std::invalid_argument("control_timestep is " + Text(control_timestep) +
                              " and n_sub_steps is " + std::to_string(frame_skip) +
                              "; give one of them");
}

Space ActionSpace(const mjModel& model) {
  std::vector<double> low, high;
  for (int i = 0; i < model.nu; ++i) {
    const bool limited = model.actuator_ctrllimited[i];
    low.push_back(limited ? model.actuator_ctrlrange[2 * i] : -mjMAXVAL);
    high.push_back(limited ? model.actuator_ctrlrange[2 * i + 1] : mjMAXVAL);
  }
  return Box({static_cast<int32_t>(model.nu)}, low, high);
}

}  // namespace parallel_pool::mujoco::dm_control
