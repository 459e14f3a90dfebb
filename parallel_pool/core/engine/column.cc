#include "parallel_pool/core/engine/column.h"

#include <algorithm>
#include <utility>

namespace parallel_pool {
namespace {

template <class T>
std::vector<T> Copy(Span<T> span) {
  return std::vector<T>(span.begin(), span.end());
}

}  // namespace

int64_t ItemBytes(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kInt8:
    case DType::kUint8:
      return 1;
    case DType::kInt16:
      return 2;
    case DType::kInt32:
    case DType::kFloat32:
      return 4;
    case DType::kInt64:
    case DType::kFloat64:
    case DType::kFloat32Or64:
      return 8;
  }
  return 0;
}

Column::Column(const ArraySpec& spec)
    : name(spec.name),
      dtype(spec.dtype == DType::kFloat32Or64 ? DType::kFloat32 : spec.dtype),
      shape(Copy(spec.shape)),
      kind(spec.kind),
      low(Copy(spec.low)),
      high(Copy(spec.high)),
      players(spec.players),
      takes_doubles(spec.dtype == DType::kFloat32Or64) {}

Column::Column(std::string name, DType dtype, int32_t players)
    : name(std::move(name)), dtype(dtype), kind(SpaceKind::kBox), players(players) {}

int64_t Column::shape_size() const {
  int64_t size = 1;
  for (const int32_t n : shape) size *= n;
  return size;
}

int64_t Column::row_size() const {
  return shape_size() * std::max(players, 1);
}

int64_t Column::row_bytes() const {
  return takes_doubles ? (row_size() + 1) * int64_t{sizeof(double)} : row_size() * ItemBytes(dtype);
}

ArraySpec SpecOf(const Column& column, const char* meanings) {
  return {.name = column.name.c_str(),
          .dtype = column.takes_doubles ? DType::kFloat32Or64 : column.dtype,
          .kind = column.kind,
          .shape = Span<int32_t>::Of(column.shape),
          .low = Span<double>::Of(column.low),
          .high = Span<double>::Of(column.high),
          .players = column.players,
          .meanings = meanings};
}

}  // namespace parallel_pool
