// The pictures of single cells, at one size.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "parallel_pool/envs/minigrid/cell.h"

namespace parallel_pool::minigrid {

class Tiles {
 public:
  // The tiles of pixels x pixels pixels. They are drawn at the first call and live as long as the
  // process. Thread-safe.
  static const Tiles& OfSize(int pixels);

  int pixels() const { return pixels_; }

  // RGB, row by row. `direction`: of an agent in the cell; -1: there is none. An agent is only in
  // cells that can be entered, and in its own view with what it carries.
  const uint8_t* Picture(Look look, int direction, bool is_lit) const {
    return bytes_.data() + place_[look][direction + 1][is_lit];
  }

 private:
  explicit Tiles(int pixels);

  const int pixels_;
  std::vector<uint8_t> bytes_;
  uint32_t place_[kLooks][5][2] = {};  // where each picture begins in bytes_
};

}  // namespace parallel_pool::minigrid
