#include "parallel_pool/envs/mujoco/ogbench/maze.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace parallel_pool::mujoco::ogbench {
namespace {

const MazeMap kMaps[] = {
    {.name = "arena",
     .rows = {"########", "#......#", "#......#", "#......#", "#......#", "#......#", "#......#",
              "########"},
     .tasks = {{{1, 1}, {6, 6}}},
     .ball_tasks = {{{1, 6}, {5, 2}, {2, 3}},
                    {{2, 2}, {2, 2}, {5, 5}},
                    {{6, 1}, {6, 6}, {2, 3}},
                    {{6, 6}, {6, 1}, {1, 1}},
                    {{4, 6}, {1, 6}, {6, 2}}}},
    {.name = "medium",
     .rows = {"########", "#..##..#", "#..#...#", "##...###", "#..#...#", "#.#..#.#", "#...#..#",
              "########"},
     .tasks =
         {{{1, 1}, {6, 6}}, {{6, 1}, {1, 6}}, {{5, 3}, {4, 2}}, {{6, 5}, {6, 1}}, {{2, 6}, {1, 1}}},
     .ball_tasks = {{{1, 1}, {6, 6}, {3, 4}},
                    {{6, 1}, {1, 1}, {6, 5}},
                    {{5, 3}, {6, 5}, {4, 2}},
                    {{6, 5}, {5, 3}, {1, 1}},
                    {{1, 6}, {1, 6}, {6, 1}}}},
    {.name = "large",
     .rows = {"############", "#....#.....#", "#.##.#.#.#.#", "#......#...#", "#.####.###.#",
              "#..#.#.....#", "##.#.#.#.###", "#..#...#...#", "############"},
     .tasks = {{{1, 1}, {7, 10}},
               {{5, 4}, {7, 1}},
               {{7, 4}, {1, 10}},
               {{3, 8}, {5, 4}},
               {{1, 1}, {5, 4}}}},
    {.name = "giant",
     .rows = {"################", "#.#......##....#", "#.#.##.#.#..##.#", "#...#..#...#...#",
              "#.###.######.#.#", "#...#...#....#.#", "###.#.#..#.#.###", "#...#..#...#...#",
              "#.#.#.######.#.#", "#.###...#...##.#", "#.....#...#....#", "################"},
     .tasks = {{{1, 1}, {10, 14}},
               {{1, 14}, {10, 1}},
               {{8, 14}, {1, 1}},
               {{8, 3}, {5, 12}},
               {{5, 9}, {3, 8}}}},
    {.name = "teleport",
     .rows = {"############", "#.....#.#..#", "##.#...#..##", "##.###.....#", "#....#.#.#.#",
              "#.##.#.#.#.#", "#.##.#.#.#.#", "#....#...#.#", "############"},
     .tasks = {{{1, 10}, {7, 1}},
               {{1, 1}, {7, 10}},
               {{5, 6}, {7, 10}},
               {{7, 1}, {7, 10}},
               {{5, 6}, {7, 1}}},
     .teleports_in = {{4, 6}, {5, 1}},
     .teleports_out = {{1, 7}, {6, 1}, {6, 10}}},
};

constexpr char kWall = '#';

mjsGeom* AddGeom(mjsBody* body, const std::string& name, mjtGeom type, const char* material,
                 const std::vector<double>& place, const std::vector<double>& size) {
  mjsGeom* const geom = mjs_addGeom(body, nullptr);
  mjs_setName(geom->element, name.c_str());
  geom->type = type;
  mjs_setString(geom->material, material);
  std::ranges::copy(place, geom->pos);
  std::ranges::copy(size, geom->size);
  return geom;
}

// A disc on the floor that nothing touches.
void AddDisc(mjsBody* world, const std::string& name, const char* material, Place place,
             double radius) {
  mjsGeom* const disc =
      AddGeom(world, name, mjGEOM_CYLINDER, material, {place.x, place.y, .05}, {radius, .05, 0});
  disc->contype = disc->conaffinity = 0;
}

void AddBall(mjsBody* world) {
  mjsBody* const ball = mjs_addBody(world, nullptr);
  mjs_setName(ball->element, "ball");
  ball->pos[2] = .5;
  mjsJoint* const root = mjs_addFreeJoint(ball);
  mjs_setName(root->element, "ball_root");
  mjsGeom* const sphere = AddGeom(ball, "ball", mjGEOM_SPHERE, "ball", {0, 0, 0}, {.25, 0, 0});
  sphere->priority = sphere->conaffinity = 1;
  sphere->condim = 6;
  mjsLight* const light = mjs_addLight(ball, nullptr);
  mjs_setName(light->element, "ball_light");
  light->pos[2] = 4;
  light->mode = mjCAMLIGHT_TRACKCOM;
}

}  // namespace

std::span<const MazeMap> MazeMaps() {
  return kMaps;
}

const MazeMap& FindMap(std::string_view name) {
  return *std::ranges::find(kMaps, name, &MazeMap::name);
}

Cell Maze::CellOf(const char* option, const Numbers<2>& cell) const {
  const auto is_index = [](double x, int end) { return x >= 0 && x < end && x == std::floor(x); };
  const bool is_inside = is_index(cell[0], rows()) && is_index(cell[1], columns());
  const Cell found = {static_cast<int>(cell[0]), static_cast<int>(cell[1])};
  if (is_inside && map_.rows[found.row][found.column] != kWall) return found;
  std::ostringstream what;
  what << option << " is (" << cell[0] << ", " << cell[1] << "), "
       << (is_inside ? "a wall" : "which is not in the maze") << "; it must be a free cell (row, "
       << "column) of " << rows() << " rows and " << columns() << " columns";
  throw std::invalid_argument(what.str());
}

ModelEdit Maze::Build(bool has_ball) const {
  std::ostringstream name;
  name.precision(17);
  name << map_.name << " " << unit_ << " " << height_ << (has_ball ? " ball" : "");
  const auto build = [maze = *this, has_ball](mjSpec& spec) {
    mjsBody* const world = mjs_findBody(&spec, "world");
    const double half = maze.unit_ / 2, middle = maze.height_ / 2 * maze.unit_;
    for (int row = 0; row < maze.rows(); ++row) {
      for (int column = 0; column < maze.columns(); ++column) {
        if (maze.map_.rows[row][column] != kWall) continue;
        const Place center = maze.CenterOf({row, column});
        mjsGeom* const wall =
            AddGeom(world, "block_" + std::to_string(row) + "_" + std::to_string(column),
                    mjGEOM_BOX, "wall", {center.x, center.y, middle}, {half, half, middle});
        wall->contype = wall->conaffinity = 1;
      }
    }
    mjsGeom* const floor = mjs_asGeom(mjs_findElement(&spec, mjOBJ_GEOM, "floor"));
    const double columns = maze.columns(), rows = maze.rows();
    std::ranges::copy(std::array{2 * (columns - 3), 2 * (rows - 3), 0.}, floor->pos);
    std::ranges::copy(std::array{2 * columns, 2 * rows, .2}, floor->size);
    const auto add_teleports = [&](const std::vector<Cell>& cells, const char* material) {
      for (size_t i = 0; i < cells.size(); ++i) {
        AddDisc(world, std::string(material) + "_" + std::to_string(i), material,
                maze.CenterOf(cells[i]), 1);
      }
    };
    add_teleports(maze.map_.teleports_in, "teleport_in");
    add_teleports(maze.map_.teleports_out, "teleport_out");
    AddDisc(world, "target", "target", {0, 0}, .5);
    if (has_ball) AddBall(world);
  };
  return {.name = name.str(), .spec = build};
}

}  // namespace parallel_pool::mujoco::ogbench
