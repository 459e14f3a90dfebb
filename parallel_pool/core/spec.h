// What arrays an env reads and writes: name, dtype, shape and bounds, tied to the members of a
// plain struct, so that each array is named exactly once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
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
  DType dtype = {};
  Space space;
  size_t member_offset = 0;
  size_t size = 0;       // elements in one env's row
  size_t row_bytes = 0;  // bytes in one env's row

  // For a readable error where .state holds an array of Action, or .action one of State.
  template <class Other>
  operator ArrayOf<Other>() const {
    static_assert(std::is_same_v<S, Other>,
                  ".action takes Array<&Action::...>, .state takes Array<&State::...>");
    return {};
  }

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

template <class T>
inline constexpr bool kIsView = false;
template <class T>
inline constexpr bool kIsView<View<T>> = requires { DTypeOf<std::remove_const_t<T>>::value; };

// std::invalid_argument if `space` does not fit an array of `size` elements.
inline void CheckSpace(const std::string& name, const Space& space, bool integral, size_t size) {
  if (space.kind == SpaceKind::kDiscrete && !integral) {
    throw std::invalid_argument("array '" + name + "': what is Discrete must be an integer");
  }
  for (const std::vector<double>& bound : {space.low, space.high}) {
    if (bound.size() <= 1 || bound.size() == size) continue;
    throw std::invalid_argument("array '" + name + "' has " + std::to_string(size) +
                                " elements, but a bound has " + std::to_string(bound.size()) +
                                " numbers; it needs one for all or one for each");
  }
}
}  // namespace internal

// Array<&State::obs>("obs", Box(...)): the array `obs` of an env, kept in the member State::obs.
// Names: "obs" or "obs:left.camera" go to the observation, "info:lives" to the info dict; dots
// nest.
template <auto Member>
auto Array(std::string name, Space space) {
  using Struct = typename internal::MemberTraits<decltype(Member)>::Struct;
  using ViewType = typename internal::MemberTraits<decltype(Member)>::Value;
  static_assert(internal::kIsView<ViewType>,
                "an array is kept in a View<T>: T is bool, uint8_t, int32_t, int64_t, float or "
                "double, and const in Action");
  ArrayOf<Struct> array{.name = std::move(name), .space = std::move(space), .size = 1};
  if constexpr (internal::kIsView<ViewType>) {
    using T = std::remove_const_t<typename ViewType::value_type>;
    static_assert(sizeof(ViewType) == sizeof(View<std::byte>));
    static Struct probe{};
    array.dtype = DTypeOf<T>::value;
    array.member_offset =
        reinterpret_cast<std::byte*>(&(probe.*Member)) - reinterpret_cast<std::byte*>(&probe);
    for (int32_t n : array.space.shape) array.size *= n;
    array.row_bytes = array.size * sizeof(T);
    internal::CheckSpace(array.name, array.space, std::is_integral_v<T>, array.size);
  }
  return array;
}

// What an env's Describe returns: the arrays of its Action and of its State.
template <class Action, class State>
struct EnvSpec {
  std::vector<ArrayOf<Action>> action;
  std::vector<ArrayOf<State>> state;
};

}  // namespace parallel_pool
