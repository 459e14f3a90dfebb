#include "parallel_pool/envs/foraging/field.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace parallel_pool::foraging {
namespace {

constexpr int kMostTries = 1000;  // for the place of a player, and for those of all foods

int Distance(Cell a, Cell b) {
  return std::abs(a.row - b.row) + std::abs(a.column - b.column);
}

Cell Moved(Cell cell, int32_t move) {
  static constexpr Cell kSteps[kMoves] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}, {0, 0}};
  return {cell.row + kSteps[move].row, cell.column + kSteps[move].column};
}

}  // namespace

Field::Field(const Config& config)
    : config_(config),
      players_(config.players),
      order_(std::max(config.players, config.max_num_food)),
      targets_(config.players),
      is_loading_(config.players) {
  foods_.reserve(config.max_num_food);
}

void Field::Begin(Rng& rng) {
  foods_.clear();
  PlacePlayers(rng);
  PlaceFoods(rng);
}

void Field::Forget() {
  for (Forager& player : players_) player.place = kNowhere;
}

void Field::PlacePlayers(Rng& rng) {
  const std::span<int32_t> order(order_.data(), players_.size());
  rng.Permutation(order);
  for (size_t i = 0; i < players_.size(); ++i) {
    Forager& player = players_[i];
    player.reward = 0.0;
    for (int tries = 0; tries < kMostTries; ++tries) {
      const auto row = static_cast<int32_t>(rng.Integers(0, config_.rows));
      const auto column = static_cast<int32_t>(rng.Integers(0, config_.columns));
      if (!IsFree({row, column})) continue;
      const auto [low, high] = config_.player_levels[order[i]];
      player.place = {row, column};
      player.level = static_cast<int32_t>(rng.Integers(low, high + 1));
      break;
    }
    if (player.place == kNowhere) throw std::runtime_error("no free cell for a player was found");
  }
}

void Field::PlaceFoods(Rng& rng) {
  // The levels of players, to find the lowest.
  const std::span<int32_t> levels(order_.data(), players_.size());
  for (size_t i = 0; i < players_.size(); ++i) levels[i] = players_[i].level;
  std::ranges::sort(levels);
  int32_t together = 0;
  for (size_t i = 0; i < std::min<size_t>(levels.size(), kLoadsTogether); ++i) {
    together += levels[i];
  }

  const std::span<int32_t> order(order_.data(), config_.max_num_food);
  rng.Permutation(order);
  spawned_ = 0;
  for (int tries = 0; tries < kMostTries && foods_.size() < order.size(); ++tries) {
    const auto row = static_cast<int32_t>(rng.Integers(1, config_.rows - 1));
    const auto column = static_cast<int32_t>(rng.Integers(1, config_.columns - 1));
    const Cell cell = {row, column};
    if (HasFoodNear(cell) || !IsFree(cell)) continue;
    const Levels& range = config_.food_levels[order[foods_.size()]];
    const int32_t high = config_.has_max_food_level() ? range.high : together;
    const int32_t low = config_.force_coop ? high : range.low;
    foods_.push_back({cell, static_cast<int32_t>(rng.Integers(low, high + 1))});
    spawned_ += foods_.back().level;
  }
  num_left_ = static_cast<int32_t>(foods_.size());
  std::ranges::sort(foods_, [](const Food& a, const Food& b) {
    return a.place.row != b.place.row ? a.place.row < b.place.row : a.place.column < b.place.column;
  });
}

bool Field::IsFree(Cell cell) const {
  const auto is_here = [&](const Forager& player) { return player.place == cell; };
  return FoodAt(cell) == nullptr && std::ranges::none_of(players_, is_here);
}

// Foods touch neither by sides nor by corners, and have two cells between them in a row or column.
// So no player is ever next to two foods.
bool Field::HasFoodNear(Cell cell) const {
  return std::ranges::any_of(foods_, [&](const Food& food) {
    const int down = std::abs(food.place.row - cell.row);
    const int right = std::abs(food.place.column - cell.column);
    return (down <= 1 && right <= 1) || (down == 0 && right <= 2) || (right == 0 && down <= 2);
  });
}

const Food* Field::FoodAt(Cell cell) const {
  for (const Food& food : foods_) {
    if (food.level > 0 && food.place == cell) return &food;
  }
  return nullptr;
}

Food* Field::FoodNextTo(Cell cell) {
  for (Food& food : foods_) {
    if (food.level > 0 && Distance(food.place, cell) == 1) return &food;
  }
  return nullptr;
}

// The cell where the player would stand; its own if the move is not possible.
Cell Field::TargetOf(const Forager& player, int32_t move) const {
  const Cell to = Moved(player.place, move);
  const bool is_inside =
      to.row >= 0 && to.row < config_.rows && to.column >= 0 && to.column < config_.columns;
  return is_inside && FoodAt(to) == nullptr ? to : player.place;
}

void Field::Step(std::span<const int32_t> moves) {
  for (size_t i = 0; i < players_.size(); ++i) {
    players_[i].reward = 0.0;
    targets_[i] = TargetOf(players_[i], moves[i]);
    is_loading_[i] = moves[i] == kLoad;
  }
  MovePlayers();
  for (size_t i = 0; i < players_.size(); ++i) {
    if (!is_loading_[i]) continue;
    if (Food* const food = FoodNextTo(players_[i].place)) Load(*food);
  }
}

// A player moves if no other has the same target. Players that stay have their own cell as target,
// so no other enters it. A player whose move fails stays, too, but its own cell is not its target:
// another may enter it, and then both are there. So it is in the reference.
void Field::MovePlayers() {
  for (size_t i = 0; i < players_.size(); ++i) {
    if (std::ranges::count(targets_, targets_[i]) == 1) players_[i].place = targets_[i];
  }
}

// All players who are next to the food and load do so together.
void Field::Load(Food& food) {
  int32_t strength = 0;
  const auto takes_part = [&](size_t i) {
    return is_loading_[i] != 0 && Distance(players_[i].place, food.place) == 1;
  };
  for (size_t i = 0; i < players_.size(); ++i) {
    if (takes_part(i)) strength += players_[i].level;
  }
  for (size_t i = 0; i < players_.size(); ++i) {
    if (!takes_part(i)) continue;
    Forager& player = players_[i];
    is_loading_[i] = 0;
    if (strength < food.level) {
      player.reward -= config_.penalty;
      continue;
    }
    player.reward = static_cast<double>(player.level * food.level);
    if (config_.normalize_loads) player.reward /= static_cast<double>(strength) * spawned_;
  }
  if (strength < food.level) return;
  food.level = 0;
  --num_left_;
}

}  // namespace parallel_pool::foraging
