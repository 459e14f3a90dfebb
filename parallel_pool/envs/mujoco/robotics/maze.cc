#include "parallel_pool/envs/mujoco/robotics/maze.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace parallel_pool::mujoco::robotics {
namespace {

constexpr char kWall = '1', kFree = '0', kStart = 'r', kGoal = 'g', kBoth = 'c';
constexpr double kReached = .45;  // m
constexpr double kNoise = .25;    // of a first place or a goal around its cell's center, in sides

[[noreturn]] void Refuse(const std::string& why) {
  throw std::invalid_argument("maze_map " + why);
}

}  // namespace

Maze::Maze(const Lines& map, double scale, double height) : scale_(scale), height_(height) {
  std::istringstream lines(map.text);
  for (std::string line; std::getline(lines, line);) map_.push_back(line);
  if (map_.empty()) Refuse("is empty");
  for (size_t row = 0; row < map_.size(); ++row) {
    const std::string& cells = map_[row];
    if (cells.size() != map_[0].size()) {
      Refuse("has rows of " + std::to_string(map_[0].size()) + " and of " +
             std::to_string(cells.size()) + " cells");
    }
    const size_t other = cells.find_first_not_of("10rgc");
    if (other == std::string::npos) continue;
    Refuse("has '" + cells.substr(other, 1) + "' in row " + std::to_string(row) +
           "; allowed are 1 (a wall), 0 (free), r (episodes begin here), g (goals lie here) and c "
           "(both)");
  }
  std::vector<Place> free, both;
  for (int row = 0; row < rows(); ++row) {
    for (int column = 0; column < static_cast<int>(map_[row].size()); ++column) {
      const Place center = Center(row, column);
      switch (map_[row][column]) {
        case kFree:
          free.push_back(center);
          break;
        case kStart:
          starts_.push_back(center);
          break;
        case kGoal:
          goals_.push_back(center);
          break;
        case kBoth:
          both.push_back(center);
          break;
        default:
          break;
      }
    }
  }
  // Free cells take the part that no cell has.
  const bool has_starts = !starts_.empty() || !both.empty();
  const bool has_goals = !goals_.empty() || !both.empty();
  if (!has_starts && !has_goals) {
    both = free;
  } else if (!has_starts) {
    starts_ = free;
  } else if (!has_goals) {
    goals_ = free;
  }
  goals_.insert(goals_.end(), both.begin(), both.end());
  starts_.insert(starts_.end(), both.begin(), both.end());
  if (goals_.empty() || starts_.empty()) Refuse("has no cell for the goal, or none to begin in");
  if (starts_.size() == 1 && both.size() == 1) {
    Refuse("has one cell to begin in, which may be the goal; an episode begins in another cell");
  }
}

Place Maze::Center(int row, int column) const {
  const double width = static_cast<double>(map_[0].size());
  return {(column + .5) * scale_ - width / 2 * scale_, rows() / 2. * scale_ - (row + .5) * scale_};
}

Place Maze::CenterOf(const char* option, const Numbers<2>& cell) const {
  const double columns = static_cast<double>(map_[0].size());
  const auto is_index = [](double x, double end) {
    return x >= 0 && x < end && x == std::floor(x);
  };
  const bool is_inside = is_index(cell[0], rows()) && is_index(cell[1], columns);
  const int row = static_cast<int>(cell[0]), column = static_cast<int>(cell[1]);
  if (is_inside && map_[row][column] != kWall) return Center(row, column);
  std::ostringstream what;
  what << option << " is (" << cell[0] << ", " << cell[1] << "), "
       << (is_inside ? "a wall" : "which is not in the maze") << "; it must be a free cell (row, "
       << "column) of " << rows() << " rows and " << columns << " columns";
  throw std::invalid_argument(what.str());
}

ModelEdit Maze::Walls() const {
  std::ostringstream name;
  name << scale_ << " " << height_;
  for (const std::string& row : map_) name << " " << row;
  const auto add = [maze = *this](mjSpec& spec) {
    mjsBody* const world = mjs_findBody(&spec, "world");
    const double half = maze.scale_ / 2, middle = maze.height_ / 2 * maze.scale_;
    const float color[] = {.7f, .5f, .3f, 1};
    for (int row = 0; row < maze.rows(); ++row) {
      for (int column = 0; column < static_cast<int>(maze.map_[row].size()); ++column) {
        if (maze.map_[row][column] != kWall) continue;
        mjsGeom* const wall = mjs_addGeom(world, nullptr);
        const Place center = maze.Center(row, column);
        const std::string block = "block_" + std::to_string(row) + "_" + std::to_string(column);
        mjs_setName(wall->element, block.c_str());
        wall->type = mjGEOM_BOX;
        std::ranges::copy(std::vector{center.x, center.y, middle}, wall->pos);
        std::ranges::copy(std::vector{half, half, middle}, wall->size);
        wall->contype = wall->conaffinity = 1;
        std::ranges::copy(color, wall->rgba);
      }
    }
    mjsSite* const target = mjs_addSite(world, nullptr);
    const float red[] = {1, 0, 0, .7f};
    mjs_setName(target->element, "target");
    target->type = mjGEOM_SPHERE;
    target->pos[2] = middle;
    target->size[0] = .2 * maze.scale_;
    std::ranges::copy(red, target->rgba);
  };
  return {.name = name.str(), .spec = add};
}

Options<MazeConfig> MazeConfig::Describe() {
  return {Option<&MazeConfig::maze_map>(
              "maze_map", "rows of cells: 1 a wall, 0 free, r to begin, g for goals, c for both"),
          Option<&MazeConfig::reward_type>("reward_type", kRewardTypeDoc, OneOf(kRewardTypes)),
          Option<&MazeConfig::continuing_task>("continuing_task",
                                               "an episode goes on when the goal is reached"),
          Option<&MazeConfig::reset_target>("reset_target",
                                            "a new goal is drawn when the old one is reached")};
}

Options<MazeResetOptions> MazeResetOptions::Describe() {
  return {Option<&MazeResetOptions::goal_cell>("goal_cell",
                                               "(row, column) of the goal; (-1, -1): drawn"),
          Option<&MazeResetOptions::reset_cell>(
              "reset_cell", "(row, column) where the episode begins; (-1, -1): drawn")};
}

Place MazeGoal::Jittered(Place place) {
  const double scale = config_.maze->scale();
  place.x += rng_.Uniform(-kNoise, kNoise) * scale;
  place.y += rng_.Uniform(-kNoise, kNoise) * scale;
  return place;
}

void MazeGoal::DrawGoal() {
  const std::vector<Place>& goals = config_.maze->goals();
  const Place goal = Jittered(goals[rng_.Integers(0, static_cast<int64_t>(goals.size()))]);
  state_.goal[0] = goal.x;
  state_.goal[1] = goal.y;
}

Place MazeGoal::Begin(const MazeResetOptions& options) {
  const Maze& maze = *config_.maze;
  if (options.goal_cell == kAnyCell) {
    DrawGoal();
  } else {
    const Place goal = Jittered(maze.CenterOf("goal_cell", options.goal_cell));
    state_.goal[0] = goal.x;
    state_.goal[1] = goal.y;
  }
  const Place start = options.reset_cell == kAnyCell
                          ? DrawStart(options)
                          : maze.CenterOf("reset_cell", options.reset_cell);
  const Place place = Jittered(start);
  std::copy_n(state_.goal, 2, state_.shown);
  state_.success = IsReached(&place.x, state_.goal);
  return place;
}

// A center that is not near the goal.
Place MazeGoal::DrawStart(const MazeResetOptions& options) {
  const double near = rules_ == MazeRules::kEarly ? .5 : .5 * config_.maze->scale();
  const std::vector<Place>& starts = config_.maze->starts();
  const auto is_near = [&](const Place& place) {
    return FusedDistance(&place.x, state_.goal, 2) <= near;
  };
  if (options.goal_cell != kAnyCell && std::ranges::all_of(starts, is_near)) {
    throw std::invalid_argument("goal_cell is the only cell in which an episode can begin");
  }
  for (;;) {
    const Place& start = starts[rng_.Integers(0, static_cast<int64_t>(starts.size()))];
    if (!is_near(start)) return start;
  }
}

bool MazeGoal::IsReached(const double* achieved, const double* goal) {
  return FusedDistance(achieved, goal, 2) <= kReached;
}

Outcome MazeGoal::Judge(const MazeConfig& config, const double* achieved, const double* desired) {
  const double distance = Distance(achieved, desired, 2);
  const bool is_dense = IsDense(config.reward_type);
  return {.reward = is_dense ? NumpyArithmetic().exp(-distance) : distance <= kReached,
          .terminated = !config.continuing_task && IsReached(achieved, desired)};
}

Outcome MazeGoal::Judge(const double* achieved) {
  std::copy_n(state_.goal, 2, state_.shown);
  state_.success = IsReached(achieved, state_.goal);
  const bool has_others = config_.maze->goals().size() > 1;
  if (rules_ == MazeRules::kEarly) {
    const bool terminated = state_.success && !config_.continuing_task;
    if (state_.success && config_.continuing_task && has_others) DrawGoal();
    Outcome outcome = Judge(config_, achieved, state_.goal);
    outcome.terminated = terminated;
    return outcome;
  }
  const Outcome outcome = Judge(config_, achieved, state_.goal);
  if (state_.success && config_.continuing_task && config_.reset_target && has_others) {
    while (IsReached(achieved, state_.goal)) DrawGoal();
  }
  return outcome;
}

void MazeGoal::Mark(const mjModel& model, mjData& drawn) const {
  mjtNum* const site = drawn.site_xpos + 3 * mj_name2id(&model, mjOBJ_SITE, "target");
  std::copy_n(state_.shown, 2, site);
}

}  // namespace parallel_pool::mujoco::robotics
