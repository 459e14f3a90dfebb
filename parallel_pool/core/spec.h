// What arrays an env reads and writes: name, dtype, shape and bounds, tied to the members of a
// plain struct, so that each array is named exactly once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

inline constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<bool> : std::integral_constant<DType, DType::kBool> {};
template <>
struct DTypeOf<uint8_t> : std::integral_constant<DType, DType::kUint8> {};
template <>
struct DTypeOf<int32_t> : std::integral_constant<DType, DType::kInt32> {};
template <>
struct DTypeOf<int64_t> : std::integral_constant<DType, DType::kInt64> {};
template <>
struct DTypeOf<float> : std::integral_constant<DType, DType::kFloat32> {};
template <>
struct DTypeOf<double> : std::integral_constant<DType, DType::kFloat64> {};

// A typed window onto one env's row of a batched array: `size` elements in C order. It owns
// nothing and is valid only within the call that it was given to.
template <class T>
struct View {
  using value_type = T;
  T* data = nullptr;
  size_t size = 0;

  T& operator[](size_t i) const { return data[i]; }
  T& operator*() const { return *data; }
  T* begin() const { return data; }
  T* end() const { return data + size; }
  template <class... Values>
  void Assign(Values... values) const {
    T* out = data;
    ((*out++ = static_cast<T>(values)), ...);
  }
};

// The values that one env's array may take. `low` and `high` hold one number for all elements or
// one for each.
struct Space {
  SpaceKind kind;
  std::vector<int32_t> shape;
  std::vector<double> low, high;
};

inline Space Box(std::vector<int32_t> shape, std::vector<double> low, std::vector<double> high) {
  return {SpaceKind::kBox, std::move(shape), std::move(low), std::move(high)};
}

// One integer in 0 .. n - 1.
inline Space Discrete(int n) {
  return {SpaceKind::kDiscrete, {}, {0.0}, {n - 1.0}};
}

// One array of the struct S: its spec and where S keeps the View of it.
template <class S>
struct ArrayOf {
  std::string name;
  DType dtype;
  Space space;
  size_t member_offset;
  size_t size;       // elements in one env's row
  size_t row_bytes;  // bytes in one env's row

  // Points the member of `s` at row `row` of the column that starts at `column`.
  void Bind(S& s, std::byte* column, int64_t row) const {
    const View<std::byte> view{column + row * static_cast<int64_t>(row_bytes), size};
    std::memcpy(reinterpret_cast<std::byte*>(&s) + member_offset, &view, sizeof(view));
  }

  ArraySpec spec() const {
    return {.name = name.c_str(),
            .dtype = dtype,
            .kind = space.kind,
            .shape = {space.shape.data(), static_cast<int32_t>(space.shape.size())},
            .low = {space.low.data(), static_cast<int32_t>(space.low.size())},
            .high = {space.high.data(), static_cast<int32_t>(space.high.size())}};
  }
};

namespace internal {
template <class M>
struct MemberTraits;
template <class S, class V>
struct MemberTraits<V S::*> {
  using Struct = S;
  using Value = V;
};
}  // namespace internal

// Array<&State::obs>("obs", Box(...)): the array `obs` of an env, kept in the member State::obs.
// Names: "obs" or "obs:left.camera" go to the observation, "info:lives" to the info dict; dots
// nest.
template <auto Member>
auto Array(std::string name, Space space) {
  using Struct = typename internal::MemberTraits<decltype(Member)>::Struct;
  using ViewType = typename internal::MemberTraits<decltype(Member)>::Value;
  using T = typename ViewType::value_type;
  static_assert(sizeof(ViewType) == sizeof(View<std::byte>));
  static Struct probe{};
  const size_t offset =
      reinterpret_cast<std::byte*>(&(probe.*Member)) - reinterpret_cast<std::byte*>(&probe);
  size_t size = 1;
  for (int32_t n : space.shape) size *= n;
  return ArrayOf<Struct>{
      std::move(name), DTypeOf<std::remove_const_t<T>>::value, std::move(space), offset, size,
      size * sizeof(T)};
}

// What an env's Describe returns: the arrays of its Action and of its State.
template <class Action, class State>
struct EnvSpec {
  std::vector<ArrayOf<Action>> action;
  std::vector<ArrayOf<State>> state;
};

}  // namespace parallel_pool
