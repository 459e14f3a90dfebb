// Observations of objects, and infos about them.
#include <algorithm>
#include <initializer_list>
#include <string>

#include "parallel_pool/envs/mujoco/ogbench/arm.h"
#include "parallel_pool/envs/mujoco/ogbench/objects.h"
#include "parallel_pool/envs/mujoco/ogbench/so3.h"

namespace parallel_pool::mujoco::ogbench {
namespace {

constexpr double kSlideScales[] = {18, 15};  // of observed ways

std::string Numbered(const char* name, int i) {
  return name + std::to_string(i);
}
void AddNumbers(Row& row, std::initializer_list<double> numbers) {
  row.Add(numbers.begin(), static_cast<int>(numbers.size()));
}
double YawOf(const mjtNum* pose) {
  return Yaw({pose[3], pose[4], pose[5], pose[6]});
}

}  // namespace

std::vector<TaskPart> PartsOf(const ObjectCounts& counts) {
  std::vector<TaskPart> parts;
  if (counts.cubes > 0) {
    parts.push_back({counts.has_slides ? "block_xyzs" : "xyzs", 3 * counts.cubes});
  }
  if (counts.buttons > 0) parts.push_back({"button_states", counts.buttons, true});
  if (counts.has_slides) Append(parts, {{"drawer_pos", 1}, {"window_pos", 1}});
  return parts;
}

std::vector<ArrayOf<Objects::State>> Objects::Describe(const ObjectCounts& counts) {
  const Space any = AnyNumbers(1), place = AnyNumbers(3), on_or_off = Box({}, {0}, {1});
  std::vector<ArrayOf<State>> arrays;
  for (int i = 0; i < counts.cubes; ++i) {
    const std::string name = Numbered("info:privileged/block_", i);
    Append(arrays, {Array<&State::block_pos>(i, name + "_pos", place),
                    Array<&State::block_quat>(i, name + "_quat", AnyNumbers(4)),
                    Array<&State::block_yaw>(i, name + "_yaw", any)});
  }
  for (int i = 0; i < counts.buttons; ++i) {
    const std::string name = Numbered("info:privileged/button_", i);
    Append(arrays, {Array<&State::button_state>(i, name + "_state", on_or_off),
                    Array<&State::button_pos>(i, name + "_pos", any),
                    Array<&State::button_vel>(i, name + "_vel", any)});
  }
  if (counts.has_slides) {
    const std::string in = "info:privileged/";
    Append(arrays, {Array<&State::drawer_pos>(in + "drawer_pos", any),
                    Array<&State::drawer_vel>(in + "drawer_vel", any),
                    Array<&State::drawer_handle_pos>(in + "drawer_handle_pos", place),
                    Array<&State::drawer_handle_yaw>(in + "drawer_handle_yaw", any),
                    Array<&State::window_pos>(in + "window_pos", any),
                    Array<&State::window_vel>(in + "window_vel", any),
                    Array<&State::window_handle_pos>(in + "window_handle_pos", place),
                    Array<&State::window_handle_yaw>(in + "window_handle_yaw", any)});
  }
  if (counts.buttons > 0) {
    const Space states = Box({counts.buttons}, {0}, {1});
    Append(arrays, {Array<&State::prev_button_states>("info:prev_button_states", states),
                    Array<&State::button_states>("info:button_states", states)});
  }
  return arrays;
}

int Objects::NumbersOf(const ObjectCounts& counts) {
  return 9 * counts.cubes + 4 * counts.buttons + 4 * counts.has_slides;
}

void Objects::Observe(Row& row) const {
  for (const Cube& cube : cubes_) {
    const mjtNum* const pose = PoseOf(cube);
    AddPlace(row, pose);
    row.Add(pose + 3, 4);
    AddAngle(row, YawOf(pose));
  }
  for (size_t i = 0; i < buttons_.size(); ++i) {
    const auto state = static_cast<double>(states_[i]);
    AddNumbers(row, {1 - state, state, data().qpos[buttons_[i].qpos] * 120,
                     data().qvel[buttons_[i].qvel]});
  }
  for (size_t i = 0; i < slides_.size(); ++i) {
    AddNumbers(row, {data().qpos[slides_[i].qpos] * kSlideScales[i], data().qvel[slides_[i].qvel]});
  }
}

void Objects::ObserveOracle(Row& row) const {
  for (const Cube& cube : cubes_) AddPlace(row, PoseOf(cube));
  for (const int64_t state : states_) AddNumbers(row, {static_cast<double>(state)});
  for (size_t i = 0; i < slides_.size(); ++i) {
    AddNumbers(row, {data().qpos[slides_[i].qpos] * kSlideScales[i]});
  }
}

void Objects::Tell(const State& state) const {
  for (size_t i = 0; i < cubes_.size(); ++i) {
    const mjtNum* const pose = PoseOf(cubes_[i]);
    Row(state.block_pos[i]).Add(pose, 3);
    Row(state.block_quat[i]).Add(pose + 3, 4);
    *state.block_yaw[i] = YawOf(pose);
  }
  for (size_t i = 0; i < buttons_.size(); ++i) {
    *state.button_state[i] = states_[i];
    *state.button_pos[i] = data().qpos[buttons_[i].qpos];
    *state.button_vel[i] = data().qvel[buttons_[i].qvel];
  }
  if (!buttons_.empty()) {
    std::ranges::copy(before_, state.prev_button_states.begin());
    std::ranges::copy(states_, state.button_states.begin());
  }
  const View<double> ways[] = {state.drawer_pos, state.window_pos};
  const View<double> speeds[] = {state.drawer_vel, state.window_vel};
  const View<double> places[] = {state.drawer_handle_pos, state.window_handle_pos};
  const View<double> angles[] = {state.drawer_handle_yaw, state.window_handle_yaw};
  for (size_t i = 0; i < slides_.size(); ++i) {
    *ways[i] = data().qpos[slides_[i].qpos];
    *speeds[i] = data().qvel[slides_[i].qvel];
    Row(places[i]).Add(data().site_xpos + 3 * slides_[i].handle, 3);
    *angles[i] = Yaw(OfMatrix(data().site_xmat + 9 * slides_[i].handle));
  }
}

}  // namespace parallel_pool::mujoco::ogbench
