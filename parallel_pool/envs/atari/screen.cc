#include "parallel_pool/envs/atari/screen.h"

#include <algorithm>

#include "parallel_pool/envs/atari/shrink.h"

namespace parallel_pool::atari {

FrameMaker::FrameMaker(const Palette& palette, int screen_height, FrameFormat format)
    : palette_(palette),
      format_(format),
      shrinks_(format.gray && format.interpolation == drawing::Interpolation::kArea &&
               format.size == ImageSize{kShrinkTo, kShrinkTo} &&
               screen_height == kShrinkFromHeight),
      resizer_({screen_height, kScreenWidth}, format.size, format.interpolation),
      screen_bytes_(static_cast<size_t>(screen_height) * kScreenWidth),
      merged_(shrinks_ ? 0 : screen_bytes_) {}

template <class... Screen>
void FrameMaker::MakeOf(uint8_t* frame, const Screen*... screens) {
  merged_.resize(screen_bytes_);  // empty as long as only Shrink was used
  const size_t channel_bytes = format_.bytes() / format_.channels();
  for (int channel = 0; channel < format_.channels(); ++channel) {
    const auto& color = format_.gray ? palette_.gray : palette_.rgb[channel];
    for (size_t i = 0; i < screen_bytes_; ++i) merged_[i] = std::max({color[screens[i]]...});
    resizer_.Resize(merged_.data(), frame + channel * channel_bytes);
  }
}

void FrameMaker::Make(const uint8_t* newer, const uint8_t* older, uint8_t* frame) {
  if (shrinks_) return Shrink(newer, older, palette_.gray.data(), frame);
  if (newer == older) return MakeOf(frame, newer);
  MakeOf(frame, newer, older);
}

void FrameMaker::Make(const uint8_t* newer, const uint8_t* older, const uint8_t* oldest,
                      uint8_t* frame) {
  MakeOf(frame, newer, older, oldest);
}

}  // namespace parallel_pool::atari
