#include "parallel_pool/envs/foraging/observations.h"

#include <algorithm>
#include <cstdlib>

namespace parallel_pool::foraging {
namespace {

constexpr float kUnseen[3] = {-1.0f, -1.0f, 0.0f};  // row, column, level

// The first cell that a player sees: the corner of its sight, or the field's.
Cell FirstSeen(const Config& config, Cell place) {
  return {std::max(place.row - config.sight, 0), std::max(place.column - config.sight, 0)};
}

Space VectorSpace(const Config& config) {
  std::vector<double> low, high;
  const auto add = [&](int count, int numbers, int most_level) {
    const double most[3] = {config.rows - 1.0, config.columns - 1.0, most_level * 1.0};
    for (int i = 0; i < count; ++i) {
      low.insert(low.end(), kUnseen, kUnseen + numbers);
      high.insert(high.end(), most, most + numbers);
    }
  };
  add(config.max_num_food, 3, config.most_food_level());
  add(config.players, config.numbers_of_player(), config.most_player_level());
  const auto size = static_cast<int32_t>(low.size());
  return Box({size}, std::move(low), std::move(high));
}

Space GridSpace(const Config& config) {
  const int side = config.grid_side();
  const int most[kLayers] = {config.observe_agent_levels ? config.most_player_level() : 1,
                             config.most_food_level(), 1};
  std::vector<double> high;
  for (const int value : most) high.insert(high.end(), side * side, value);
  return Box({kLayers, side, side}, {0}, std::move(high));
}

}  // namespace

Space ObservationSpace(const Config& config) {
  return config.grid_observation ? GridSpace(config) : VectorSpace(config);
}

void WriteVector(const Config& config, const Field& field, int player, float* numbers) {
  const std::span<const Forager> players = field.players();
  const Cell own = players[player].place;
  const Cell first = FirstSeen(config, own);
  const int width = config.numbers_of_player();
  float* const begin_of_players = numbers + 3 * config.max_num_food;
  float* const end = begin_of_players + width * config.players;
  for (float* p = numbers; p != begin_of_players; p += 3) std::copy_n(kUnseen, 3, p);
  for (float* p = begin_of_players; p != end; p += width) std::copy_n(kUnseen, width, p);

  const auto write = [&](Cell place, int32_t level, int count, float* to) {
    const float values[3] = {static_cast<float>(place.row - first.row),
                             static_cast<float>(place.column - first.column),
                             static_cast<float>(level)};
    std::copy_n(values, count, to);
    return to + count;
  };
  for (const Food& food : field.foods()) {
    const bool is_seen = std::abs(food.place.row - own.row) <= config.sight &&
                         std::abs(food.place.column - own.column) <= config.sight;
    if (food.level > 0 && is_seen) numbers = write(food.place, food.level, 3, numbers);
  }
  numbers = write(own, players[player].level, width, begin_of_players);
  for (int other = 0; other < config.players; ++other) {
    const Cell place = players[other].place;
    const int down = place.row - first.row, right = place.column - first.column;
    // Near the first rows and columns of the field, `first` is nearer than the sight, and players
    // are seen farther away in the other direction than foods. So it is in the reference.
    const int most = 2 * config.sight;
    const bool is_seen = down >= 0 && right >= 0 && down <= most && right <= most;
    if (other != player && is_seen) numbers = write(place, players[other].level, width, numbers);
  }
}

void WriteGrid(const Config& config, const Field& field, int player, float* numbers) {
  const int side = config.grid_side(), size = side * side;
  const Cell own = field.players()[player].place;
  const Cell first = {own.row - config.sight, own.column - config.sight};
  float *const levels = numbers, *const foods = numbers + size, *const free = numbers + 2 * size;
  std::fill_n(numbers, kLayers * size, 0.0f);
  const int top = std::max(-first.row, 0), bottom = std::min(config.rows - first.row, side);
  const int left = std::max(-first.column, 0);
  const int right = std::min(config.columns - first.column, side);
  for (int row = top; row < bottom; ++row) {
    std::fill(free + row * side + left, free + row * side + right, 1.0f);
  }
  const auto write = [&](Cell place, float value, float* layer) {
    const int row = place.row - first.row, column = place.column - first.column;
    if (row < 0 || row >= side || column < 0 || column >= side) return;
    layer[row * side + column] = value;
    free[row * side + column] = 0.0f;
  };
  for (const Food& food : field.foods()) {
    if (food.level > 0) write(food.place, static_cast<float>(food.level), foods);
  }
  for (const Forager& other : field.players()) {
    write(other.place, config.observe_agent_levels ? static_cast<float>(other.level) : 1.0f,
          levels);
  }
}

}  // namespace parallel_pool::foraging
