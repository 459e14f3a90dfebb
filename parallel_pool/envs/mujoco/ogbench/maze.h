// The mazes of OGBench: a map of cells that is built into the walker's model, and five tasks, each
// a cell to begin in and one to reach.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parallel_pool/core/options.h"
#include "parallel_pool/envs/mujoco/engine/model.h"

namespace parallel_pool::mujoco::ogbench {

struct Cell { int row, column; };
struct Place { double x, y; };  // m

// `ball` is a cell of tasks with a ball only.
struct MazeTask { Cell start, goal, ball = {}; };

struct MazeMap {
  const char* name;
  std::vector<std::string_view> rows;  // '#' is a wall
  std::vector<MazeTask> tasks;
  std::vector<MazeTask> ball_tasks = {};
  // A walker that comes near the first is put to one of the second. No map but "teleport" has them.
  std::vector<Cell> teleports_in = {}, teleports_out = {};
};

// All of them: "arena", "medium", "large", "giant", "teleport".
std::span<const MazeMap> MazeMaps();
const MazeMap& FindMap(std::string_view name);

// A map with the sizes of an env's options.
class Maze {
 public:
  // Cells have sides of `unit` m, walls are `height` sides high.
  Maze(const MazeMap& map, double unit, double height) : map_(map), unit_(unit), height_(height) {}

  const MazeMap& map() const { return map_; }
  double unit() const { return unit_; }
  int rows() const { return static_cast<int>(map_.rows.size()); }
  int columns() const { return static_cast<int>(map_.rows[0].size()); }
  // The center of a cell. Its offset does not follow `unit`, as in the reference.
  Place CenterOf(Cell cell) const { return {cell.column * unit_ - 4, cell.row * unit_ - 4}; }
  // The cell that a reset option names. Throws std::invalid_argument if there is none, or a wall.
  Cell CellOf(const char* option, const Numbers<2>& cell) const;

  // Adds the walls, the discs of teleports and of the goal and, with `has_ball`, a ball.
  ModelEdit Build(bool has_ball) const;

 private:
  const MazeMap& map_;
  const double unit_, height_;
};

}  // namespace parallel_pool::mujoco::ogbench
