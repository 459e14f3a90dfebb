// Actions in few bits: a Discrete(2) takes one, Pong's six actions take four.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "parallel_pool/core/engine/actions.h"

namespace parallel_pool {

// How the elements of one array of actions are written.
class ActionBits {
 public:
  // Array `k` of `actions`. Its bounds are those of all envs and players.
  ActionBits(const ActionStore& actions, size_t k, int num_envs);

  // The bytes of `count` elements.
  int64_t BytesOf(int64_t count) const {
    return bits_ == 0 ? count * item_bytes_ : (count + 7) / 8 * bits_;
  }
  // Appends `count` elements.
  void Pack(const std::byte* elements, int64_t count, std::string* out) const;
  // Reads `count` elements of BytesOf(count) bytes.
  void Unpack(std::string_view bytes, int64_t count, std::byte* elements) const;

 private:
  DType dtype_;
  int64_t item_bytes_;
  int64_t low_ = 0;  // the smallest element
  int bits_ = 0;     // of an element: 1, 2, 4 or 8; 0: elements are copied as they are
};

}  // namespace parallel_pool
