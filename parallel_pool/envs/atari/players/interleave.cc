#include "parallel_pool/envs/atari/players/interleave.h"

#include <algorithm>
#include <cstring>

#include "parallel_pool/envs/atari/shrink.h"

namespace parallel_pool::atari {
namespace {

template <int channels>
void WriteSome(const uint8_t* image, size_t pixels, int stride, uint8_t* out) {
  for (size_t i = 0; i < pixels; ++i) std::memcpy(out + i * stride, image + i * channels, channels);
}

}  // namespace

Colors::Colors(const Palette& palette) {
  for (size_t i = 0; i < colors_.size(); ++i) {
    for (int k = 0; k < 3; ++k) colors_[i][k] = palette.rgb[k][i];
  }
}

void Colors::Write(const uint8_t* screen, size_t pixels, uint8_t* rgb) const {
  for (size_t first = 0; first < pixels; first += kScreenWidth) {
    uint8_t* const row = rgb + 3 * first;
    const uint8_t* const from = screen + first;
    if (first > 0 && std::memcmp(from, from - kScreenWidth, kScreenWidth) == 0) {
      std::memcpy(row, row - 3 * kScreenWidth, 3 * kScreenWidth);
      continue;
    }
    // Four bytes at once; the next pixel overwrites the fourth.
    for (int x = 0; x + 1 < kScreenWidth; ++x) std::memcpy(row + 3 * x, &colors_[from[x]], 4);
    std::memcpy(row + 3 * (kScreenWidth - 1), &colors_[from[kScreenWidth - 1]], 3);
  }
}

void Colors::Write(const uint8_t* newer, const uint8_t* older, size_t pixels, uint8_t* rgb) const {
  for (size_t i = 0; i < pixels; ++i) {
    for (int k = 0; k < 3; ++k) {
      rgb[3 * i + k] = std::max(colors_[newer[i]][k], colors_[older[i]][k]);
    }
  }
}

void WriteChannels(const uint8_t* image, size_t pixels, int channels, int stride, uint8_t* out) {
  if (channels == stride) {
    std::memcpy(out, image, pixels * channels);
  } else if (channels == 1) {
    WriteSome<1>(image, pixels, stride, out);
  } else {
    WriteSome<3>(image, pixels, stride, out);
  }
}

void Interleave(const uint8_t* planes, size_t pixels, uint8_t* rgb) {
  for (size_t i = 0; i < pixels; ++i) {
    for (size_t k = 0; k < 3; ++k) rgb[3 * i + k] = planes[k * pixels + i];
  }
}

}  // namespace parallel_pool::atari
