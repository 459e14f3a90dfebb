#include "parallel_pool/envs/mujoco/dm_control/task.h"

namespace parallel_pool::mujoco::dm_control {

Options<TaskConfig> TaskConfig::Describe() {
  using C = TaskConfig;
  return {
      Option<&C::time_limit>("time_limit", "length of an episode, in s", {.min = 0}),
      Option<&C::frame_skip>("n_sub_steps", "steps of the model for which an action is held",
                             {.min = 1}),
      Option<&C::flat_observation>("flat_observation", "one array, observations, in place of all"),
      Option<&C::legacy_step>("legacy_step",
                              "False: derived quantities, such as xpos, are a step old"),
  };
}

Model LoadSuiteModel(const std::string& file) {
  return LoadTaskModel("dm_control", file, file, 0, {});
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
