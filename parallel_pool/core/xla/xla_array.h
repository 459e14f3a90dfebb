// The arrays of compiled programs, and copies of a batch's columns into them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "parallel_pool/core/engine/batch.h"
#include "parallel_pool/core/engine/column.h"

namespace parallel_pool {

// One array of a call, C-contiguous, in the memory of the processor.
struct XlaArray {
  DType dtype;
  std::span<const int64_t> shape;
  std::byte* data;
};

// The type that JAX makes of `dtype` without its x64 mode.
DType Narrow(DType dtype);

// Throws std::invalid_argument unless `array` has the type of `column` (or the narrow one) and
// `rows` rows of it; with players, `rows` times as many as a row has room for. `what` names the
// array.
void CheckArray(const std::string& what, const XlaArray& array, const Column& column, int64_t rows);

// Copies column `k` of a batch to an array that was checked. Rows of players that are not in their
// envs are left out, as in NumPy's batches; the array ends with zeros instead, or with -1 if the
// column has the env of each player. `players` counts those of each row; empty if no column is per
// player. Throws std::invalid_argument if an integer does not fit into the narrow type.
void CopyColumn(const std::string& task, const Batch& batch, size_t k, const Column& column,
                std::span<const int32_t> players, const XlaArray& to);

}  // namespace parallel_pool
