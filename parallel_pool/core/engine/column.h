// The engine's description of an array: the same data as ArraySpec (plugin.h), but owned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// The info of an env in Python that has all its infos, pickled.
inline constexpr char kPythonInfo[] = "info:python";

// One array of a batch, without its batch axis.
struct Column {
  std::string name;  // empty: not shown to the user
  DType dtype;
  std::vector<int32_t> shape;  // shape of one row, or of each player in it
  SpaceKind kind;
  std::vector<double> low, high;  // one number for all elements, or one for each
  int32_t players;                // 0, or the number of players that a row has room for: ArraySpec

  explicit Column(const ArraySpec& spec);
  // One number per row, or per player; without bounds.
  Column(std::string name, DType dtype, int32_t players = 0);
  int64_t shape_size() const;  // elements of `shape`
  int64_t row_size() const;    // elements in one row
  int64_t row_bytes() const;
  // Whether it has the infos of an env in Python: pickled objects, which are no array for users.
  bool is_pickled() const { return name == kPythonInfo || name == "info:final_info.python"; }
};

int64_t ItemBytes(DType dtype);

// Points into `column` and `meanings`.
ArraySpec SpecOf(const Column& column, const char* meanings);

}  // namespace parallel_pool
