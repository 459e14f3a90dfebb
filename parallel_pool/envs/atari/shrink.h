// The default observation in one pass: 160 x 210 screens of palette indices to 84 x 84 gray.
#pragma once

#include <cstdint>

namespace parallel_pool::atari {

inline constexpr int kScreenWidth = 160;  // screen width of every game, in pixels

// Sizes of Shrink's input and output.
inline constexpr int kShrinkFromHeight = 210;
inline constexpr int kShrinkTo = 84;

// Looks up both screens in `gray` (256 entries), takes the maximum of each pixel's two values and
// resizes to 84 x 84 as cv2.INTER_AREA, bit for bit. `newer` and `older` may be the same.
void Shrink(const uint8_t* newer, const uint8_t* older, const uint8_t* gray, uint8_t* out);

}  // namespace parallel_pool::atari
