// The things that OGBench's arm moves: cubes, buttons that have one of two states, and a drawer and
// a window that two buttons lock.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/core/random.h"
#include "parallel_pool/core/spec.h"
#include "parallel_pool/envs/mujoco/engine/own_world.h"
#include "parallel_pool/envs/mujoco/engine/rows.h"

namespace parallel_pool::mujoco::ogbench {

inline constexpr int kMostCubes = 8, kMostButtons = 24;

// How many there are in a model.
struct ObjectCounts {
  int cubes = 0, buttons = 0;
  bool has_slides = false;  // a drawer and a window

  explicit ObjectCounts(const mjModel& model);
  // In a task, and in a goal with use_oracle_rep: places of cubes, states of buttons, ways of the
  // drawer and the window.
  int numbers() const { return 3 * cubes + buttons + 2 * has_slides; }
};

// A task: the numbers of its first state and of the wanted one.
struct ArmTask { std::vector<double> start, goal; };

// A part of the numbers of a task, as task_info names it: "init_" or "goal_", and this name.
struct TaskPart {
  const char* name;
  int size;
  bool is_state = false;  // of buttons
};
std::vector<TaskPart> PartsOf(const ObjectCounts& counts);

class Objects {
 public:
  struct State {
    std::array<View<double>, kMostCubes> block_pos, block_quat, block_yaw;
    std::array<View<int64_t>, kMostButtons> button_state;
    std::array<View<double>, kMostButtons> button_pos, button_vel;
    View<double> drawer_pos, drawer_vel, drawer_handle_pos, drawer_handle_yaw;
    View<double> window_pos, window_vel, window_handle_pos, window_handle_yaw;
    View<int64_t> prev_button_states, button_states;
  };
  static std::vector<ArrayOf<State>> Describe(const ObjectCounts& counts);
  static int NumbersOf(const ObjectCounts& counts);  // observed

  // `columns` is that of a puzzle, where a button changes its neighbors, too; 0: it is none.
  // Pictures show what has succeeded if it `shows` that.
  Objects(OwnWorld& world, Rng& rng, int columns, bool shows);

  // Brings everything to the goal of `task`, or near to its start. `order` is that of the cubes.
  void PutAtGoal(const ArmTask& task, const std::vector<int>& order);
  void PutAtStart(const ArmTask& task, const std::vector<int>& order);

  // Before a step, and after it.
  void Remember();
  void Judge();

  const ObjectCounts& counts() const { return counts_; }
  int num_successes() const;
  int size() const;  // the successes that there can be
  bool succeeded() const { return num_successes() == size(); }
  void Observe(Row& row) const;
  void ObserveOracle(Row& row) const;
  void Tell(const State& state) const;
  auto Saved() { return std::tie(world_, states_, wanted_, before_, depths_, wanted_slides_); }

 private:
  // Addresses in qpos and qvel, and numbers of elements.
  struct Cube { int qpos, qvel, geom, target_geom; };
  struct Button { int qpos, qvel, geom; };
  struct Slide { int qpos, qvel, handle, wanted_handle, material; };

  mjData& data() { return world_.simulation().data(); }
  const mjData& data() const { return world_.simulation().data(); }
  mjtNum* PoseOf(const Cube& cube) { return data().qpos + cube.qpos; }
  const mjtNum* PoseOf(const Cube& cube) const { return data().qpos + cube.qpos; }
  bool IsAtTarget(size_t cube) const;
  bool IsSlideAtTarget(size_t slide) const;
  void PutTargets(const std::vector<double>& goal, const std::vector<int>& order);
  void PutStates(const std::vector<double>& numbers, std::vector<int64_t>& states) const;
  double SlideOf(const std::vector<double>& numbers, size_t slide) const;
  void Rescue();
  void Press(int button);
  void Apply();
  void PaintCubes();

  OwnWorld& world_;
  Rng& rng_;
  const ObjectCounts counts_;
  const int columns_;
  const bool shows_;
  std::vector<Cube> cubes_;
  std::vector<Button> buttons_;
  std::vector<Slide> slides_;  // the drawer and the window, or none
  // Of buttons: now, wanted, before the step; and how far they were pressed before it.
  std::vector<int64_t> states_, wanted_, before_;
  std::vector<double> depths_;
  std::array<double, 2> wanted_slides_ = {};
};

}  // namespace parallel_pool::mujoco::ogbench
