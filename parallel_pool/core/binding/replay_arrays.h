// Arrays of replay buffers, as Python has them.
#pragma once

#include <pybind11/numpy.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel_pool/core/learner/replay_rows.h"

namespace parallel_pool {

namespace py = pybind11;

constexpr int kContiguous = py::array::c_style;
using RowIds = py::array_t<int64_t, kContiguous>;
using LineIds = py::array_t<int32_t, kContiguous | py::array::forcecast>;
using RowFlags = py::array_t<bool, kContiguous>;
using RowNumbers = py::array_t<double, kContiguous>;
using ArrayList = std::vector<py::array>;

template <class T>
std::span<const T> ViewOf(const py::array_t<T, kContiguous>& array) {
  return {array.data(), static_cast<size_t>(array.size())};
}
inline std::span<const int32_t> ViewOf(const LineIds& lines) {
  return {lines.data(), static_cast<size_t>(lines.size())};
}

// The memory of an array that must have so many bytes.
inline std::byte* Memory(const py::array& array, int64_t bytes, bool writes = false) {
  if ((array.flags() & kContiguous) == 0 || array.nbytes() != bytes ||
      (writes && !array.writeable())) {
    throw py::value_error("an array of other bytes than the buffer's");
  }
  return static_cast<std::byte*>(const_cast<void*>(array.data()));
}

// A column and its array, which it keeps alive.
struct ReplayColumn {
  py::array array;
  RingArray ring;

  // Whether `rows` has n rows of this column.
  bool Fits(const py::array& rows, int64_t n) const {
    return (rows.flags() & kContiguous) != 0 && rows.nbytes() == ring.bytes * ring.frames * n &&
           (rows.dtype().is(array.dtype()) || rows.dtype().equal(array.dtype()));
  }
};

// Whether the rows of `rows` have the shape of the column's.
inline bool HaveSameRows(const ReplayColumn& column, const py::array& rows) {
  const py::array& array = column.array;
  return rows.ndim() == array.ndim() &&
         std::equal(rows.shape() + 1, rows.shape() + rows.ndim(), array.shape() + 1);
}

}  // namespace parallel_pool
