// Images whose channels are last, as PettingZoo's are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "parallel_pool/envs/atari/screen.h"

namespace parallel_pool::atari {

// The colors of a screen's pixels: red, green, blue and a 0.
class Colors {
 public:
  explicit Colors(const Palette& palette);

  // Writes 3 bytes for each pixel of a screen.
  void Write(const uint8_t* screen, size_t pixels, uint8_t* rgb) const;
  // The same with the larger value of two screens.
  void Write(const uint8_t* newer, const uint8_t* older, size_t pixels, uint8_t* rgb) const;

 private:
  std::array<std::array<uint8_t, 4>, 256> colors_{};
};

// Copies `pixels` pixels of `channels` bytes, 1 or 3. `stride` is the bytes from one pixel of `out`
// to the next.
void WriteChannels(const uint8_t* image, size_t pixels, int channels, int stride, uint8_t* out);

// Turns three planes of `pixels` bytes into pixels.
void Interleave(const uint8_t* planes, size_t pixels, uint8_t* rgb);

}  // namespace parallel_pool::atari
