// The default observation in one pass: 160 x 210 screens of palette indices to 84 x 84 gray.
#pragma once

#include <cstdint>

namespace parallel_pool::atari {

inline constexpr int kScreenWidth = 160;  // of every game, in pixels

// What Shrink takes and gives.
inline constexpr int kShrinkFromHeight = 210;
inline constexpr int kShrinkTo = 84;

// Looks both screens up in `gray` (256 entries), takes the larger of the two values of each pixel
// and resizes to 84 x 84 as cv2.INTER_AREA does, bit for bit. `newer` and `older` may be the same.
void Shrink(const uint8_t* newer, const uint8_t* older, const uint8_t* gray, uint8_t* out);

}  // namespace parallel_pool::atari
