// The mazes of PointMaze and AntMaze: a map of cells that is built into the agent's model, and the
// goal that an env has in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mujoco/engine/model.h"
#include "parallel_pool/envs/mujoco/robotics/goals.h"

namespace parallel_pool::mujoco::robotics {

// In m. Two numbers in a row, so that &place.x is a goal.
struct Place { double x, y; };

class Maze {
 public:
  // A map of cells with sides of `scale` m, around the origin. Throws std::invalid_argument if it
  // is no rectangle, has other characters, or if an episode could not begin away from its goal.
  Maze(const Lines& map, double scale, double height);

  double scale() const { return scale_; }
  int rows() const { return static_cast<int>(map_.size()); }
  // The centers of the cells where goals lie, and where episodes begin.
  const std::vector<Place>& goals() const { return goals_; }
  const std::vector<Place>& starts() const { return starts_; }
  // The center of the cell that a reset option names. Throws std::invalid_argument if there is no
  // such cell, or a wall.
  Place CenterOf(const char* option, const Numbers<2>& cell) const;

  // Adds the walls, and the site "target".
  ModelEdit Walls() const;

 private:
  Place Center(int row, int column) const;
  void Find(const Lines& map);

  const double scale_, height_;  // of a cell, m; of walls, in sides of a cell
  std::vector<std::string> map_;
  std::vector<Place> goals_, starts_;
};

// The options of tasks in mazes.
struct MazeConfig {
  Lines maze_map;
  std::string reward_type = kRewardTypes[0];
  bool continuing_task = true, reset_target = false;
  std::shared_ptr<const Maze> maze = nullptr;  // that of maze_map

  static Options<MazeConfig> Describe();
};

// The options of a reset: cells (row, column), or kAnyCell.
inline constexpr Numbers<2> kAnyCell = {-1, -1};
struct MazeResetOptions {
  Numbers<2> goal_cell = kAnyCell, reset_cell = kAnyCell;

  static Options<MazeResetOptions> Describe();
};

// Two versions of the rules. kEarly, AntMaze-v3: the next goal is drawn before the reward of the
// step that has reached the last one, which is then 0 or far.
enum class MazeRules { kEarly, kPresent };

// The goal of an env.
class MazeGoal {
 public:
  MazeGoal(const MazeConfig& config, MazeRules rules, Rng& rng)
      : config_(config), rules_(rules), rng_(rng) {}

  // Begins an episode: draws a goal, and returns the place where the agent begins.
  Place Begin(const MazeResetOptions& options);
  // The outcome of a step that has led to `achieved` (x, y); then draws the next goal, if it is
  // time.
  Outcome Judge(const double* achieved);
  // The outcome of a step with these goals.
  static Outcome Judge(const MazeConfig& config, const double* achieved, const double* desired);

  // The goal of the last step, and whether it was reached.
  const double* shown() const { return state_.shown; }
  bool success() const { return state_.success; }
  // Puts the site "target" of the model there, for a picture.
  void Mark(const mjModel& model, mjData& drawn) const;

  // To be saved.
  struct State {
    double goal[2], shown[2];
    bool success;
  };
  State& state() { return state_; }

 private:
  static bool IsReached(const double* achieved, const double* goal);
  Place Jittered(Place place);
  void DrawGoal();
  Place DrawStart(const MazeResetOptions& options);

  const MazeConfig config_;
  const MazeRules rules_;
  Rng& rng_;
  State state_ = {};
};

}  // namespace parallel_pool::mujoco::robotics
