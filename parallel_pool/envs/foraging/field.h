// The field of an episode, its players and foods, and the rules of lbforaging 2.0.0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/foraging/config.h"

namespace parallel_pool::foraging {

enum Move : int32_t { kNone, kNorth, kSouth, kWest, kEast, kLoad, kMoves };

struct Cell {
  int32_t row, column;

  bool operator==(const Cell&) const = default;
};

inline constexpr Cell kNowhere = {-1, -1};

struct Forager {
  Cell place = kNowhere;
  int32_t level = 0;
  double reward = 0.0;  // of the last step
};

struct Food {
  Cell place;
  int32_t level;  // 0: it was loaded
};

class Field {
 public:
  explicit Field(const Config& config);

  // Places players, then foods. A player who is not placed yet still stands where the last episode
  // has left it, and nothing else is put there: so does the reference.
  void Begin(Rng& rng);
  // Forgets the places of the last episode.
  void Forget();
  // Moves all players at once, then loads.
  void Step(std::span<const int32_t> moves);

  bool is_empty() const { return num_left_ == 0; }
  std::span<const Forager> players() const { return players_; }
  // In the order of rows and columns, loaded ones included.
  std::span<const Food> foods() const { return foods_; }

  auto Saved() { return std::tie(players_, foods_, spawned_, num_left_); }

 private:
  void PlacePlayers(Rng& rng);
  void PlaceFoods(Rng& rng);
  bool IsFree(Cell cell) const;         // no food and no player
  bool HasFoodNear(Cell cell) const;    // a new food would be too close to another
  const Food* FoodAt(Cell cell) const;  // nullptr: none
  Food* FoodNextTo(Cell cell);          // nullptr: none
  Cell TargetOf(const Forager& player, int32_t move) const;
  void MovePlayers();
  void Load(Food& food);

  const Config& config_;
  std::vector<Forager> players_;
  std::vector<Food> foods_;
  int32_t spawned_ = 0;   // the levels of all foods of the episode, added up
  int32_t num_left_ = 0;  // foods

  // Memory of a call.
  std::vector<int32_t> order_;
  std::vector<Cell> targets_;        // of each player
  std::vector<uint8_t> is_loading_;  // the same
};

}  // namespace parallel_pool::foraging
