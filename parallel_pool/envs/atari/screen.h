// Makes frames of observations from the console's screens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel_pool/drawing/resize.h"

namespace parallel_pool::atari {

// The colors of a pixel of the screen, which is an index into the console's palette.
struct Palette {
  std::array<uint8_t, 256> gray;
  std::array<std::array<uint8_t, 256>, 3> rgb;  // red, green, blue
};

struct FrameFormat {
  ImageSize size;
  bool gray;  // 1 channel, or 3
  drawing::Interpolation interpolation;

  int channels() const { return gray ? 1 : 3; }
  size_t bytes() const { return static_cast<size_t>(channels()) * size.height * size.width; }
};

// Makes frames for one env: colors, then the maximum over two screens (games draw some objects
// on every second screen only), then the size. It has scratch memory: one thread at a time.
class FrameMaker {
 public:
  // Screens have `screen_height` rows of 160 bytes.
  FrameMaker(const Palette& palette, int screen_height, FrameFormat format);

  // Writes format.bytes() bytes: channel, row, column. Both screens may be the same.
  void Make(const uint8_t* newer, const uint8_t* older, uint8_t* frame);
  // The same with one more screen.
  void Make(const uint8_t* newer, const uint8_t* older, const uint8_t* oldest, uint8_t* frame);

 private:
  template <class... Screen>
  void MakeOf(uint8_t* frame, const Screen*... screens);

  const Palette palette_;
  const FrameFormat format_;
  const bool shrinks_;  // the default format, 84 x 84 gray: Shrink makes the frames
  drawing::Resizer resizer_;
  const size_t screen_bytes_;
  std::vector<uint8_t> merged_;  // one channel of the screen, before it is resized
};

}  // namespace parallel_pool::atari
