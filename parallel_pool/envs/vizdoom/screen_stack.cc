#include "parallel_pool/envs/vizdoom/screen_stack.h"

namespace parallel_pool::vizdoom {
namespace {

size_t PixelsOf(ImageSize size) {
  return static_cast<size_t>(size.height) * size.width;
}

}  // namespace

ScreenStack::ScreenStack(const Scenario& scenario, ImageSize size, int num_frames,
                         drawing::Interpolation interpolation)
    : screen_bytes_(PixelsOf(SizeOf(scenario))),
      frame_bytes_(PixelsOf(size)),
      num_channels_(NumChannels(scenario)),
      resizer_(SizeOf(scenario), size, interpolation),
      frames_(num_frames, num_channels_ * frame_bytes_) {}

void ScreenStack::Push(const Engine& engine) {
  const uint8_t* in = engine.bytes(kScreen);
  uint8_t* out = frames_.Next();
  for (int channel = 0; channel < num_channels_; ++channel) {
    resizer_.Resize(in, out);
    in += screen_bytes_;
    out += frame_bytes_;
  }
}

}  // namespace parallel_pool::vizdoom
