// Pictures of the envs. Those of Gymnasium 1.4's envs are drawn from its own sprites and equal its
// pictures pixel for pixel.
#pragma once

#include <cstdint>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/spec.h"
#include "parallel_pool/envs/toy_text/grid.h"
#include "parallel_pool/envs/toy_text/lake_map.h"

namespace parallel_pool::toy_text {

// The size of a picture of squares. A square's side is 64 pixels, or less for more than 8 squares.
ImageSize LakeSize(const Grid& grid);
void DrawFrozenLake(View<uint8_t> rgb, const LakeMap& map, int cell);

inline constexpr ImageSize kCliffSize{.height = 256, .width = 768};
void DrawCliffWalking(View<uint8_t> rgb, int cell);

inline constexpr ImageSize kTaxiSize{.height = 456, .width = 536};
struct TaxiRide {
  int taxi;                   // a cell of 5 x 5
  int waits_at, destination;  // cells; waits_at is kInside once the passenger is in the taxi
  int facing;                 // 0: south, 1: north, 2: east, 3: west
  static constexpr int kInside = -1;
};
void DrawTaxi(View<uint8_t> rgb, const TaxiRide& ride);

inline constexpr ImageSize kTableSize{.height = 376, .width = 384};
struct BlackjackTable {
  int player_sum;
  bool has_usable_ace;
  int dealer_card;         // 1: ace
  char dealer_rank, suit;  // of that card, such as 'K' and 'S', king of spades
};
void DrawBlackjack(View<uint8_t> rgb, const BlackjackTable& table);

ImageSize CatchSize(const Grid& grid);
// `ball` and `paddle` are cells.
void DrawCatch(View<uint8_t> rgb, const Grid& grid, int ball, int paddle);

}  // namespace parallel_pool::toy_text
