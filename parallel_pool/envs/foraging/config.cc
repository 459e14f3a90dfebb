#include "parallel_pool/envs/foraging/config.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

namespace parallel_pool::foraging {
namespace {

// A number as text, without zeros behind the point.
std::string Text(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

int WholeNumber(const std::string& name, double number) {
  if (number == std::floor(number)) return static_cast<int>(number);
  throw std::invalid_argument(name + " is " + Text(number) + "; it must be a whole number");
}

// One level for each of `count` players or foods.
std::vector<int> LevelsOf(const std::string& name, const std::vector<double>& given, int count,
                          int otherwise) {
  const auto size = static_cast<int>(given.size());
  if (size > 1 && size != count) {
    throw std::invalid_argument(name + " has " + std::to_string(size) +
                                " numbers; it must be one for all, or one for each of " +
                                std::to_string(count));
  }
  std::vector<int> levels(count, otherwise);
  for (int i = 0; i < count && size > 0; ++i) {
    levels[i] = WholeNumber(name, given[size == 1 ? 0 : i]);
  }
  return levels;
}

std::vector<Levels> Ranges(const std::string& thing, const std::vector<int>& low,
                           const std::vector<int>& high) {
  std::vector<Levels> ranges;
  for (size_t i = 0; i < low.size(); ++i) {
    if (low[i] > high[i]) {
      throw std::invalid_argument("min_" + thing + "_level is " + std::to_string(low[i]) +
                                  " and max_" + thing + "_level is " + std::to_string(high[i]) +
                                  "; the first must not be greater");
    }
    ranges.push_back({low[i], high[i]});
  }
  return ranges;
}

// The sum of the `kLoadsTogether` lowest of the numbers.
int LowestTogether(std::vector<int> levels) {
  std::ranges::sort(levels);
  int sum = 0;
  for (size_t i = 0; i < std::min<size_t>(levels.size(), kLoadsTogether); ++i) sum += levels[i];
  return sum;
}

std::vector<int> HighestOf(const std::vector<Levels>& ranges) {
  std::vector<int> levels;
  for (const Levels& range : ranges) levels.push_back(range.high);
  return levels;
}

void SetFoodLevels(Config& config, const std::vector<int>& lowest_players) {
  const std::vector<int> low =
      LevelsOf("min_food_level", config.min_food_level, config.max_num_food, 1);
  if (config.has_max_food_level()) {
    config.food_levels = Ranges(
        "food", low, LevelsOf("max_food_level", config.max_food_level, config.max_num_food, 0));
    return;
  }
  const int most = LowestTogether(lowest_players);
  for (const int level : low) {
    if (level > most && !config.force_coop) {
      throw std::invalid_argument(
          "min_food_level is " + std::to_string(level) + "; without max_food_level it must be at " +
          "most " + std::to_string(most) + ", the lowest levels of three players together");
    }
    config.food_levels.push_back({level, level});
  }
}

}  // namespace

int Config::most_player_level() const {
  return std::ranges::max(HighestOf(player_levels));
}

int Config::most_food_level() const {
  if (!has_max_food_level()) return LowestTogether(HighestOf(player_levels));
  const std::vector<int> highest = HighestOf(food_levels);
  return highest.empty() ? 0 : std::ranges::max(highest);
}

Options<Config> DescribeOptions() {
  constexpr Range kLevels = {.min = 1, .max = kMostLevel};
  return {
      Option<&Config::field_size>("field_size", "rows and columns of the field",
                                  {.min = kLeastSide, .max = kMostSide}),
      Option<&Config::players>("players", "players", {.min = 1, .max = kMostForagers}),
      Option<&Config::min_player_level>("min_player_level", "of all players, or of each; () is 1",
                                        kLevels),
      Option<&Config::max_player_level>("max_player_level", "of all players, or of each; () is 2",
                                        kLevels),
      Option<&Config::min_food_level>("min_food_level", "of all foods, or of each; () is 1",
                                      kLevels),
      Option<&Config::max_food_level>(
          "max_food_level",
          "of all foods, or of each; () or None: the three lowest levels of players, added up",
          kLevels),
      Option<&Config::max_num_food>("max_num_food", "foods of an episode, if they have room",
                                    {.min = 1, .max = kMostFoods}),
      Option<&Config::sight>("sight", "cells that a player sees in each direction",
                             {.min = 1, .max = kMostSight}),
      Option<&Config::force_coop>("force_coop", "each food has the highest level"),
      Option<&Config::normalize_loads>("normalize_loads",
                                       "the rewards of all loads and players add up to 1"),
      Option<&Config::grid_observation>("grid_observation", "observations are grids, not vectors"),
      Option<&Config::observe_agent_levels>("observe_agent_levels",
                                            "observations have the levels of players"),
      Option<&Config::penalty>("penalty", "for players that try to load and are too weak",
                               {.min = 0})};
}

void CompleteOptions(Config& config) {
  config.rows = WholeNumber("field_size[0]", config.field_size[0]);
  config.columns = WholeNumber("field_size[1]", config.field_size[1]);
  if (config.players > config.rows * config.columns) {
    throw std::invalid_argument("players is " + std::to_string(config.players) +
                                "; the field has only " +
                                std::to_string(config.rows * config.columns) + " cells");
  }
  const std::vector<int> low =
      LevelsOf("min_player_level", config.min_player_level, config.players, 1);
  config.player_levels = Ranges(
      "player", low, LevelsOf("max_player_level", config.max_player_level, config.players, 2));
  config.food_levels.clear();
  SetFoodLevels(config, low);
}

}  // namespace parallel_pool::foraging
