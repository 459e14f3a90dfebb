#include "parallel_pool/core/engine/actions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace parallel_pool {
namespace {

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
      break;
  }
  return f(static_cast<double*>(nullptr));
}

// The allowed values of an integer array: its space's bounds, within the range of its type.
struct Bounds { int64_t low, high; };

template <class To>
Bounds BoundsOf(const Column& array, int64_t element) {
  const auto bound = [&](const std::vector<double>& v) {
    return v.size() == 1 ? v[0] : v[element];
  };
  const double low = bound(array.low), high = bound(array.high);
  using Limits = std::numeric_limits<To>;
  return {low <= static_cast<double>(Limits::min()) ? static_cast<int64_t>(Limits::min())
                                                    : static_cast<int64_t>(std::ceil(low)),
          high >= static_cast<double>(Limits::max()) ? static_cast<int64_t>(Limits::max())
                                                     : static_cast<int64_t>(std::floor(high))};
}

// Copies one row. Returns the index of the first element that is refused, or -1.
template <class To, class From>
int64_t CopyRow(const Column& array, const From* from, To* to, int64_t size) {
  for (int64_t i = 0; i < size; ++i) {
    const From value = from[i];
    if constexpr (std::is_floating_point_v<To>) {
      if constexpr (std::is_floating_point_v<From>) {
        if (!std::isfinite(static_cast<To>(value))) return i;
      }
    } else {
      const Bounds allowed = BoundsOf<To>(array, i);
      if constexpr (std::is_floating_point_v<From>) {
        // long double: 2^63 - 1 as a float or a double is 2^63.
        const long double exact = value;
        if (!(exact >= allowed.low && exact <= allowed.high && exact == std::trunc(exact))) {
          return i;
        }
      } else {
        if (static_cast<int64_t>(value) < allowed.low || static_cast<int64_t>(value) > allowed.high)
          return i;
      }
    }
    to[i] = static_cast<To>(value);
  }
  return -1;
}

// The fast path: one integer per row with one pair of bounds. Nearly every step runs this loop.
template <class To, class From>
int64_t CopyNumbers(const Column& array, const From* from, To* to, std::span<const int32_t> envs) {
  const Bounds allowed = BoundsOf<To>(array, 0);
  for (size_t i = 0; i < envs.size(); ++i) {
    const auto value = static_cast<int64_t>(from[i]);
    if (value < allowed.low || value > allowed.high) return static_cast<int64_t>(i);
    to[envs[i]] = static_cast<To>(value);
  }
  return -1;
}

template <class To, class From>
int64_t CopyRows(const Column& array, const From* from, To* to, std::span<const int32_t> envs,
                 std::span<const int32_t> players) {
  const bool per_player = array.players > 0;
  if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
    if (array.shape.empty() && !per_player) return CopyNumbers(array, from, to, envs);
  }
  const int64_t size = array.shape_size(), row_size = array.row_size();
  int64_t read = 0;
  for (size_t i = 0; i < envs.size(); ++i) {
    To* next = to + envs[i] * row_size;
    To* const end = next + row_size;
    for (int32_t left = per_player ? players[i] : 1; left > 0; --left) {
      const int64_t bad = CopyRow(array, from + read, next, size);
      if (bad >= 0) return read + bad;
      read += size;
      next += size;
    }
    std::fill(next, end, To{0});
  }
  return -1;
}

template <class To, class From>
[[noreturn]] void Refuse(const std::string& task, const Column& array, From value, int64_t bad) {
  const int64_t size = array.shape_size();
  std::ostringstream text;
  text << task << ": " << array.name << '[' << bad / size << ']';
  if (!array.shape.empty()) text << " (element " << bad % size << ')';
  text << " is " << +value << "; allowed are ";
  if constexpr (std::is_floating_point_v<To>) {
    text << "finite numbers";
  } else {
    const Bounds allowed = BoundsOf<To>(array, bad % size);
    text << "the integers " << allowed.low << " to " << allowed.high;
  }
  throw std::invalid_argument(text.str());
}

}  // namespace

ActionStore::ActionStore(std::string task, Span<ArraySpec> arrays, int num_envs)
    : task_(std::move(task)) {
  for (const ArraySpec& spec : arrays) {
    const int64_t bytes = arrays_.emplace_back(spec).row_bytes() * num_envs;
    std::unique_ptr<std::byte[], Free> block(new (std::align_val_t{64}) std::byte[bytes]);
    std::memset(block.get(), 0, bytes);
    rows_.push_back(block.get());
    blocks_.push_back(std::move(block));
  }
}

void ActionStore::Store(size_t k, const ActionInput& input, std::span<const int32_t> envs,
                        std::span<const int32_t> players) {
  const Column& array = arrays_[k];
  WithType(array.dtype, [&]<class To>(To*) {
    WithType(input.dtype, [&]<class From>(From*) {
      const auto* from = static_cast<const From*>(input.data);
      auto* to = reinterpret_cast<To*>(rows_[k]);
      const int64_t bad = CopyRows(array, from, to, envs, players);
      if (bad >= 0) Refuse<To>(task_, array, from[bad], bad);
    });
  });
}

}  // namespace parallel_pool
