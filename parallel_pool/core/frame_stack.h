// A frame stack: the last frames of an episode, all of one size.
#pragma once

#include <cstdint>
#include <cstring>
#include <tuple>
#include <vector>

#include "parallel_pool/core/save.h"

namespace parallel_pool {

class FrameStack {
 public:
  FrameStack(int num_frames, size_t frame_bytes)
      : frame_bytes_(frame_bytes), num_frames_(num_frames), ring_(num_frames * frame_bytes) {}

  // Returns the memory for the next frame. It replaces the oldest frame and is then the newest.
  uint8_t* Next() {
    uint8_t* const frame = &ring_[oldest_ * frame_bytes_];
    oldest_ = (oldest_ + 1) % num_frames_;
    return frame;
  }
  const uint8_t* newest() const {
    return &ring_[(oldest_ + num_frames_ - 1) % num_frames_ * frame_bytes_];
  }

  // Copies the newest frame to all others; call it after the first frame of an episode.
  void Repeat() {
    for (int i = 1; i < num_frames_; ++i) {
      const uint8_t* const frame = newest();
      std::memcpy(Next(), frame, frame_bytes_);
    }
  }
  void Clear() { std::memset(ring_.data(), 0, ring_.size()); }

  // Writes all frames, oldest first.
  void CopyTo(uint8_t* out) const {
    const size_t split = oldest_ * frame_bytes_;
    std::memcpy(out, &ring_[split], ring_.size() - split);
    std::memcpy(out + ring_.size() - split, ring_.data(), split);
  }

  void Save(Writer& writer) const { WriteAll(writer, std::tie(oldest_, ring_)); }
  bool Load(Reader& reader) {
    const size_t bytes = ring_.size();
    return ReadAll(reader, std::tie(oldest_, ring_)) && ring_.size() == bytes && oldest_ >= 0 &&
           oldest_ < num_frames_;
  }

 private:
  const size_t frame_bytes_;
  const int num_frames_;
  std::vector<uint8_t> ring_;
  int oldest_ = 0;
};

}  // namespace parallel_pool
