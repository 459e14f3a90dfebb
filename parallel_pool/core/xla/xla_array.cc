#include "parallel_pool/core/xla/xla_array.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace parallel_pool {
namespace {

// In the order of DType.
constexpr const char* kNames[] = {"bool",  "int8",  "uint8",   "int16",
                                  "int32", "int64", "float32", "float64"};

const char* NameOf(DType dtype) {
  return kNames[static_cast<int>(dtype)];
}

template <class Dims>
void Print(std::ostream& out, const Dims& dims) {
  out << '(';
  for (size_t i = 0; i < dims.size(); ++i) out << (i > 0 ? ", " : "") << dims[i];
  out << (dims.size() == 1 ? ",)" : ")");
}

bool HasShape(const XlaArray& array, const Column& column, int64_t rows) {
  if (array.shape.size() != column.shape.size() + 1 || array.shape[0] != rows) return false;
  return std::equal(column.shape.begin(), column.shape.end(), array.shape.begin() + 1);
}

// Copies elements, and makes them narrow if the types differ.
void CopyElements(const std::string& task, const Column& column, const std::byte* from,
                  int64_t count, DType dtype, std::byte* to) {
  if (dtype == column.dtype) {
    std::memcpy(to, from, count * ItemBytes(dtype));
    return;
  }
  if (column.dtype == DType::kFloat64) {
    const auto* wide = reinterpret_cast<const double*>(from);
    std::transform(wide, wide + count, reinterpret_cast<float*>(to),
                   [](double x) { return static_cast<float>(x); });
    return;
  }
  const auto* wide = reinterpret_cast<const int64_t*>(from);
  auto* narrow = reinterpret_cast<int32_t*>(to);
  for (int64_t i = 0; i < count; ++i) {
    narrow[i] = static_cast<int32_t>(wide[i]);
    if (narrow[i] != wide[i]) {
      throw std::invalid_argument(task + ": " + column.name + " is " + std::to_string(wide[i]) +
                                  ", which is no int32: set jax_enable_x64, which has int64");
    }
  }
}

}  // namespace

DType Narrow(DType dtype) {
  if (dtype == DType::kInt64) return DType::kInt32;
  return dtype == DType::kFloat64 ? DType::kFloat32 : dtype;
}

void CheckArray(const std::string& what, const XlaArray& array, const Column& column,
                int64_t rows) {
  const int64_t all = rows * std::max(column.players, 1);
  const bool has_type = array.dtype == column.dtype || array.dtype == Narrow(column.dtype);
  if (has_type && HasShape(array, column, all)) return;
  std::vector<int64_t> shape{all};
  shape.insert(shape.end(), column.shape.begin(), column.shape.end());
  std::ostringstream text;
  text << what << " is " << NameOf(array.dtype) << ' ';
  Print(text, array.shape);
  text << "; it must be " << NameOf(column.dtype) << ' ';
  Print(text, shape);
  throw std::invalid_argument(text.str());
}

void CopyColumn(const std::string& task, const Batch& batch, size_t k, const Column& column,
                std::span<const int32_t> players, const XlaArray& to) {
  const std::byte* const from = batch.columns()[k];
  if (column.players == 0) {
    return CopyElements(task, column, from, batch.rows() * column.row_size(), to.dtype, to.data);
  }
  const int64_t size = column.shape_size(), bytes = ItemBytes(to.dtype);
  std::byte* next = to.data;
  for (int row = 0; row < batch.rows(); ++row) {
    const std::byte* const first = from + row * column.row_bytes();
    CopyElements(task, column, first, players[row] * size, to.dtype, next);
    next += players[row] * size * bytes;
  }
  const bool is_env_id = column.name == "info:players.env_id";
  const int64_t end = batch.rows() * column.row_size() * bytes;
  std::memset(next, is_env_id ? 0xff : 0, to.data + end - next);
}

}  // namespace parallel_pool
