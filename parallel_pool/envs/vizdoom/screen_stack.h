// The last screens of a player as small pictures.
#pragma once

#include <cstdint>

#include "parallel_pool/core/frame_stack.h"
#include "parallel_pool/core/spec.h"
#include "parallel_pool/drawing/resize.h"
#include "parallel_pool/envs/vizdoom/engine/engine.h"
#include "parallel_pool/envs/vizdoom/scenario/scenario.h"

namespace parallel_pool::vizdoom {

class ScreenStack {
 public:
  // For `num_frames` pictures of `size`. The scenario has planar_colors, or is gray.
  ScreenStack(const Scenario& scenario, ImageSize size, int num_frames,
              drawing::Interpolation interpolation);

  // Adds the engine's screen as the newest frame.
  void Push(const Engine& engine);
  // Copies the newest frame to all others.
  void Repeat() { frames_.Repeat(); }
  // Writes all frames, oldest first: of each its channels, rows, columns.
  void CopyTo(uint8_t* out) const { frames_.CopyTo(out); }

 private:
  const size_t screen_bytes_, frame_bytes_;  // of one channel
  const int num_channels_;
  drawing::Resizer resizer_;
  FrameStack frames_;
};

}  // namespace parallel_pool::vizdoom
