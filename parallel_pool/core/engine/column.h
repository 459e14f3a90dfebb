// The engine's description of an array: the same data as ArraySpec (plugin.h), but owned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// The most arrays of an action, and of a state, of envs whose arrays the engine changes.
inline constexpr size_t kMaxArrays = 256;

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
  // Whether rows are those of DType::kFloat32Or64. It is an action then, and dtype is kFloat32.
  bool takes_doubles = false;

  explicit Column(const ArraySpec& spec);
  // One number per row, or per player; without bounds.
  Column(std::string name, DType dtype, int32_t players = 0);
  int64_t shape_size() const;  // elements of `shape`
  int64_t row_size() const;    // elements in one row
  int64_t row_bytes() const;
  // Whether a row has doubles.
  bool has_doubles(const std::byte* row) const {
    return takes_doubles && row[row_size() * sizeof(double)] != std::byte{};
  }
  // Whether it has the infos of an env in Python: pickled objects, which are no array for users.
  bool is_pickled() const { return name == kPythonInfo || name == "info:final_info.python"; }
};

int64_t ItemBytes(DType dtype);

// Calls `f` with a null pointer of the C++ type of `dtype`.
template <class F>
auto WithType(DType dtype, const F& f) {
  switch (dtype) {
    case DType::kBool:
      return f(static_cast<bool*>(nullptr));
    case DType::kInt8:
      return f(static_cast<int8_t*>(nullptr));
    case DType::kUint8:
      return f(static_cast<uint8_t*>(nullptr));
    case DType::kInt16:
      return f(static_cast<int16_t*>(nullptr));
    case DType::kInt32:
      return f(static_cast<int32_t*>(nullptr));
    case DType::kInt64:
      return f(static_cast<int64_t*>(nullptr));
    case DType::kFloat32:
      return f(static_cast<float*>(nullptr));
    case DType::kFloat64:
    case DType::kFloat32Or64:  // not of a Column
      break;
  }
  return f(static_cast<double*>(nullptr));
}

// Calls `f` with a null pointer to float if `dtype` is kFloat32, else to double.
template <class F>
auto WithFloat(DType dtype, const F& f) {
  return dtype == DType::kFloat32 ? f(static_cast<float*>(nullptr))
                                  : f(static_cast<double*>(nullptr));
}

// Points into `column` and `meanings`.
ArraySpec SpecOf(const Column& column, const char* meanings);

}  // namespace parallel_pool
