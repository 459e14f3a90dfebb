// Views: the rows of an env's arrays, as an env reads and writes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/view_error.h"

namespace parallel_pool {

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<bool> : std::integral_constant<DType, DType::kBool> {};
template <>
struct DTypeOf<int8_t> : std::integral_constant<DType, DType::kInt8> {};
template <>
struct DTypeOf<uint8_t> : std::integral_constant<DType, DType::kUint8> {};
template <>
struct DTypeOf<int16_t> : std::integral_constant<DType, DType::kInt16> {};
template <>
struct DTypeOf<int32_t> : std::integral_constant<DType, DType::kInt32> {};
template <>
struct DTypeOf<int64_t> : std::integral_constant<DType, DType::kInt64> {};
template <>
struct DTypeOf<float> : std::integral_constant<DType, DType::kFloat32> {};
template <>
struct DTypeOf<double> : std::integral_constant<DType, DType::kFloat64> {};
// The element of View<const AnyFloat>.
struct AnyFloat { double number; };
template <>
struct DTypeOf<AnyFloat> : std::integral_constant<DType, DType::kFloat32Or64> {};

// A typed view of one env's row of a batched array: `size` elements in C order. It does not own
// them, and is valid only within the call that receives it.
//
// An index that is too large and a number of values that does not fit throw (view_error.h). A View
// that Describe does not list has size 0, and its other members throw. A loop over begin() is not
// checked; parallel_pool.check sees what it writes outside of the row (engine/guarded.h).
template <class T>
struct View {
  using value_type = T;
  internal::Place<T> data;
  size_t size = 0;

  View() = default;
  View(T* data, size_t size) : data(data), size(size) {}

  T& operator[](size_t i) const {
    if (i >= size) [[unlikely]] {
      internal::ThrowIndex(data.unchecked(), i, size);
    }
    return data.unchecked()[i];
  }
  T& operator*() const { return (*this)[0]; }
  T* begin() const { return data; }
  T* end() const { return data + size; }
  // Writes one value to each element.
  template <class... Values>
  void Assign(Values... values) const {
    constexpr size_t kCount = sizeof...(values);
    if (kCount != size) [[unlikely]] {
      internal::ThrowCount(data.unchecked(), kCount, size);
    }
    [[maybe_unused]] T* out = data.unchecked();
    ((*out++ = static_cast<T>(values)), ...);
  }
};

// An action of floats or doubles, as the user has sent it: its space is of float32. An env needs it
// if it shall compute as its Python reference does, which takes the numbers as they come.
template <>
struct View<const AnyFloat> {
  using value_type = const AnyFloat;
  internal::Place<const std::byte> data;
  size_t size = 0;

  View() = default;
  // `data`: a row of DType::kFloat32Or64.
  View(const AnyFloat* data, size_t size)
      : data(reinterpret_cast<const std::byte*>(data)), size(size) {}

  bool is_double() const { return data[sizeof(double) * size] != std::byte{}; }
  // Calls f with a View<const float> or a View<const double>.
  template <class F>
  decltype(auto) Visit(const F& f) const {
    return is_double() ? f(As<double>()) : f(As<float>());
  }
  // As a double, which has the same value.
  double operator[](size_t i) const {
    return Visit([i](auto numbers) -> double { return numbers[i]; });
  }
  double operator*() const { return (*this)[0]; }
  void CopyTo(double* out) const {
    Visit([out](auto numbers) { std::copy(numbers.begin(), numbers.end(), out); });
  }

 private:
  template <class T>
  View<const T> As() const {
    return {reinterpret_cast<const T*>(data.unchecked()), size};
  }
};

}  // namespace parallel_pool
