// Draws the images of a screen without Qt's painter, which takes most of the time of a step. The
// library's BasicAbstractGame::draw_image jumps to DrawImage (the build has put the jump there, see
// BUILD); what this code does not draw, it leaves to the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel_pool/envs/procgen/patched/scaled_image.h"

namespace parallel_pool::procgen {

// Puts this code in place. Once, before the first game is drawn.
void InstallFastDrawing(std::byte* base);

// The screen of a game, and its last background: in many games it stays where it is.
struct Canvas {
  uint32_t* screen = nullptr;  // kScreenSize rows of as many pixels
  const uint32_t* background = nullptr;
  Rect place = {};
  std::vector<uint32_t> drawn = {};  // the background's pixels on the screen, if it came twice
};

// While it exists, this thread draws the screen of `canvas`, without smoothing.
class FastDrawing {
 public:
  explicit FastDrawing(Canvas& canvas);
  ~FastDrawing();
  FastDrawing(const FastDrawing&) = delete;
  FastDrawing& operator=(const FastDrawing&) = delete;
};

}  // namespace parallel_pool::procgen
