// Walk to the opposite corner through the openings of rivers of lava, or of walls.
#pragma once

#include <stdexcept>
#include <string>

#include "parallel_pool/envs/minigrid/levels/obstacle.h"

namespace parallel_pool::minigrid {

class Crossing : public World {
 public:
  struct Config : LevelConfig {
    int32_t size = 9, num_crossings = 1;
    std::string obstacle_type = "lava";
  };
  static Options<Config> Describe() {
    return DescribeLevel<Config>(
        {Option<&Config::size>("size", "cells on a side; odd", {.min = 5}),
         Option<&Config::num_crossings>("num_crossings", "the most rivers", {.min = 0}),
         Option<&Config::obstacle_type>("obstacle_type", "what rivers are of", OneOf(kObstacles))});
  }
  static Rules RulesFor(const Config& c) {
    if (c.size % 2 == 0) {
      throw std::invalid_argument("size is " + std::to_string(c.size) +
                                  "; it must be odd, such as " + std::to_string(c.size + 1));
    }
    return RulesOf(c, c.size, c.size, 4 * c.size * c.size);
  }

  Crossing(const Config& config, Rng& rng)
      : World(RulesFor(config), rng),
        is_lava_(IsLava(config.obstacle_type)),
        num_crossings_(config.num_crossings) {}

  void Generate() {
    Walls(whole());
    SetAgent({1, 1}, 0);
    Set({width() - 2, height() - 2}, kGoal);
    DrawRivers();
    const Cell obstacle = is_lava_ ? kLava : kWall;
    for (int y = 1; y < height() - 1; ++y) {
      if (rows_[y]) HorizontalLine({1, y}, width() - 2, obstacle);
    }
    for (int x = 1; x < width() - 1; ++x) {
      if (columns_[x]) VerticalLine({x, 1}, height() - 2, obstacle);
    }
    OpenRivers();
    SetObstacleMission(*this, is_lava_);
  }

 private:
  using Lines = std::array<bool, kLargestGrid>;

  // A river in an even column or row.
  struct River {
    bool is_column;
    int at;
  };

  // Chooses num_crossings_ of all possible rivers.
  void DrawRivers() {
    List<River, kLargestGrid> rivers;
    for (int x = 2; x < width() - 2; x += 2) rivers.Add({true, x});
    for (int y = 2; y < height() - 2; y += 2) rivers.Add({false, y});
    rng().Shuffle(rivers.all());
    rows_ = columns_ = {};
    num_rows_ = num_columns_ = 0;
    for (int i = 0; i < std::min(num_crossings_, static_cast<int>(rivers.size())); ++i) {
      (rivers[i].is_column ? columns_ : rows_)[rivers[i].at] = true;
      ++(rivers[i].is_column ? num_columns_ : num_rows_);
    }
  }

  // Opens each river once, along a random path from the first field between rivers to the last.
  void OpenRivers() {
    List<bool, kLargestGrid> path;  // true: the path goes right, through a column
    for (int i = 0; i < num_columns_; ++i) path.Add(true);
    for (int i = 0; i < num_rows_; ++i) path.Add(false);
    rng().Shuffle(path.all());
    Point field = {0, 0};  // the rivers, or the walls, to the left of and above the field
    for (const bool goes_right : path) {
      const Point next = {Next(columns_, field.x), Next(rows_, field.y)};
      if (goes_right) {
        Set({next.x, RandInt(field.y + 1, next.y)}, kEmpty);
        field.x = next.x;
      } else {
        Set({RandInt(field.x + 1, next.x), next.y}, kEmpty);
        field.y = next.y;
      }
    }
  }

  // The line after `at`: a river, or the wall.
  int Next(const Lines& lines, int at) const {
    for (int i = at + 1; i < width() - 1; ++i) {
      if (lines[i]) return i;
    }
    return width() - 1;
  }

  const bool is_lava_;
  const int num_crossings_;
  Lines rows_ = {}, columns_ = {};  // where rivers are; only within Generate
  int num_rows_ = 0, num_columns_ = 0;
};

}  // namespace parallel_pool::minigrid
