// What an array is to the engine: the same data as ArraySpec (plugin.h), but owned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// One array of a batch, beside its batch axis.
struct Column {
  std::string name;  // empty: not for the user
  DType dtype;
  std::vector<int32_t> shape;  // of one row, or of each player in it
  SpaceKind kind;
  std::vector<double> low, high;  // one number, or one for each element
  int32_t players;                // 0, or how many `shape`s a row has room for: see ArraySpec

  explicit Column(const ArraySpec& spec);
  // One number a row, or a player; without bounds.
  Column(std::string name, DType dtype, int32_t players = 0);
  int64_t shape_size() const;  // elements of `shape`
  int64_t row_size() const;    // elements in one row
  int64_t row_bytes() const;
};

int64_t ItemBytes(DType dtype);

}  // namespace parallel_pool
