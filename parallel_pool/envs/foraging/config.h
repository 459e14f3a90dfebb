// The options of Foraging, as the constructor of lbforaging 2.0.0 has them.
#pragma once

#include <array>
#include <vector>

#include "parallel_pool/core/env.h"

namespace parallel_pool::foraging {

// The lowest and the highest level of one player or of one food.
struct Levels { int low, high; };

inline constexpr int kMostForagers = 100, kMostFoods = 100, kMostLevel = 1000;
inline constexpr int kLeastSide = 3, kMostSide = 100;  // of the field, in cells
inline constexpr int kMostSight = 100;                 // cells
inline constexpr int kLoadsTogether = 3;  // without max_food_level, so many players can load a food

struct Config {
  Numbers<2> field_size = {8, 8};  // rows, columns
  int players = 2;
  // One level for all, or one for each. Empty: 1, 2, 1, and the levels of three players together.
  std::vector<double> min_player_level, max_player_level, min_food_level, max_food_level;
  int max_num_food = 2;
  int sight = 8;  // cells
  bool force_coop = false;
  bool normalize_loads = true;
  bool grid_observation = false;
  bool observe_agent_levels = true;
  double penalty = 0.0;

  // Set by Complete().
  int rows = 0, columns = 0;
  std::vector<Levels> player_levels, food_levels;

  bool has_max_food_level() const { return !max_food_level.empty(); }
  int most_player_level() const;
  int most_food_level() const;
  // Cells on one side of a grid observation.
  int grid_side() const { return 1 + 2 * sight; }
  // Numbers of a player in an observation that is a vector.
  int numbers_of_player() const { return observe_agent_levels ? 3 : 2; }
};

Options<Config> DescribeOptions();

// Sets what follows from the options. Throws std::invalid_argument if they do not go together.
void CompleteOptions(Config& config);

}  // namespace parallel_pool::foraging
