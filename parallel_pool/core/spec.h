// The arrays of an env: name, dtype, shape and bounds, tied to the members of a plain struct, so
// that each array is named exactly once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/space.h"
#include "parallel_pool/core/view.h"
#include "parallel_pool/core/view_error.h"

namespace parallel_pool {

// One array of a struct: its spec, and the place of its View there.
struct PlacedArray {
  std::string name;
  DType dtype = {};
  Space space;
  size_t member_offset = 0;
  size_t size = 0;       // elements in one env's row
  size_t row_bytes = 0;  // bytes in one env's row

  // Points the member of the struct at `s` at the first row of `column`; internal::RowViews moves
  // it to other rows.
  void Bind(void* s, std::byte* column) const {
    static std::byte nothing{};  // an array without elements is listed, too
    const View<std::byte> view{column == nullptr ? &nothing : column, size};
    std::memcpy(static_cast<std::byte*>(s) + member_offset, &view, sizeof(view));
  }

  ArraySpec spec() const {
    return {.name = name.c_str(),
            .dtype = dtype,
            .kind = space.kind,
            .shape = Span<int32_t>::Of(space.shape),
            .low = Span<double>::Of(space.low),
            .high = Span<double>::Of(space.high),
            .players = space.players,
            .meanings = space.meanings.c_str()};
  }
};

// One array of the struct S.
template <class S>
struct ArrayOf : PlacedArray {
  // A derived struct inherits the arrays of its base. Any other struct is a readable error: .state
  // contains an array of Action, or .action one of State.
  template <class Other>
  operator ArrayOf<Other>() const {
    static_assert(std::is_base_of_v<S, Other>,
                  ".action takes Array<&Action::...>, .state takes Array<&State::...>");
    if constexpr (std::is_base_of_v<S, Other>) {
      static Other probe{};
      ArrayOf<Other> array{*this};
      array.member_offset += reinterpret_cast<std::byte*>(static_cast<S*>(&probe)) -
                             reinterpret_cast<std::byte*>(&probe);
      return array;
    } else {
      return {};
    }
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

// Throws std::invalid_argument if `space` does not fit an array of `size` elements of `dtype`.
inline void CheckSpace(const std::string& name, const Space& space, DType dtype, size_t size) {
  for (const int32_t n : space.shape) {
    if (n >= 0) continue;
    throw std::invalid_argument("array '" + name + "' has an axis of " + std::to_string(n) +
                                " elements");
  }
  const bool integral =
      dtype != DType::kFloat32 && dtype != DType::kFloat64 && dtype != DType::kFloat32Or64;
  const auto require = [&](SpaceKind kind, bool fits, const char* rule) {
    if (space.kind != kind || fits) return;
    throw std::invalid_argument("array '" + name + "': " + rule);
  };
  require(SpaceKind::kDiscrete, integral, "a Discrete array must have an integer dtype");
  require(SpaceKind::kMultiDiscrete, integral, "a MultiDiscrete array must have an integer dtype");
  require(SpaceKind::kMultiBinary, dtype == DType::kInt8, "a MultiBinary array must be of int8_t");
  require(SpaceKind::kText, dtype == DType::kUint8, "a Text array must be of uint8_t");
  if (!space.meanings.empty()) {
    const auto names = std::count(space.meanings.begin(), space.meanings.end(), '\n') + 1;
    const auto values = static_cast<int64_t>(space.high[0] - space.low[0]) + 1;
    if (names != values) {
      throw std::invalid_argument("array '" + name + "' has " + std::to_string(values) +
                                  " values and " + std::to_string(names) +
                                  " names; each name is one line");
    }
  }
  for (const std::vector<double>& bound : {space.low, space.high}) {
    if (bound.size() == 1 || bound.size() == size) continue;
    throw std::invalid_argument("array '" + name + "' has " + std::to_string(size) +
                                " elements, but a bound has " + std::to_string(bound.size()) +
                                " numbers; it needs one for all or one for each");
  }
}

// The array whose View is `member_offset` bytes after the begin of its struct.
inline PlacedArray PlaceArray(std::string_view name, Space&& space, DType dtype, size_t item_bytes,
                              size_t member_offset) {
  PlacedArray array{.name = std::string(name),
                    .dtype = dtype,
                    .space = std::move(space),
                    .member_offset = member_offset,
                    .size = 1};
  if (member_offset % sizeof(View<std::byte>) != 0) {
    throw std::invalid_argument("array '" + array.name + "': its struct holds more than Views");
  }
  for (int32_t n : array.space.shape) array.size *= n;
  CheckSpace(array.name, array.space, dtype, array.size);
  if (array.space.players > 0) array.size *= array.space.players;
  const size_t marks = dtype == DType::kFloat32Or64 ? 1 : 0;
  array.row_bytes = (array.size + marks) * item_bytes;
  return array;
}

// The array of a View in `probe`.
template <class Struct, class ViewType>
ArrayOf<Struct> ArrayAt(std::string_view name, Space&& space, const Struct& probe,
                        const ViewType& view) {
  static_assert(
      kIsView<ViewType>,
      "an array is kept in a View<T>: T is bool, int8_t, uint8_t, int16_t, int32_t, int64_t, float "
      "or double, and const in Action, where it may also be AnyFloat");
  if constexpr (kIsView<ViewType>) {
    using T = std::remove_const_t<typename ViewType::value_type>;
    static_assert(sizeof(ViewType) == sizeof(View<std::byte>));
    const size_t offset =
        reinterpret_cast<const std::byte*>(&view) - reinterpret_cast<const std::byte*>(&probe);
    return {PlaceArray(name, std::move(space), DTypeOf<T>::value, sizeof(T), offset)};
  } else {
    return {};
  }
}

// Checks the result of an env's NumPlayers() and returns it. Throws std::out_of_range unless it is
// in 0 .. most.
inline int32_t CheckPlayers(int32_t players, int32_t most) {
  if (players >= 0 && players <= most) return players;
  throw std::out_of_range("NumPlayers() is " + std::to_string(players) +
                          "; it must be between 0 and " + std::to_string(most));
}
}  // namespace internal

// Array<&State::obs>("obs", Box(...)): the array `obs` of an env, in the member State::obs.
// Names: "obs" or "obs:left.camera" go to the observation, "info:lives" to the info dict; dots
// nest. "reward", one float or double for each player, replaces Outcome::reward.
template <auto Member>
auto Array(std::string_view name, Space space) {
  using Struct = typename internal::MemberTraits<decltype(Member)>::Struct;
  static Struct probe{};
  return internal::ArrayAt<Struct>(name, std::move(space), probe, probe.*Member);
}
// The same of element `i` of State::parts, a std::array of Views.
template <auto Member>
auto Array(size_t i, std::string_view name, Space space) {
  using Struct = typename internal::MemberTraits<decltype(Member)>::Struct;
  static Struct probe{};
  return internal::ArrayAt<Struct>(name, std::move(space), probe, (probe.*Member).at(i));
}

// The result of an env's Describe: the arrays of its Action and of its State, and its players. An
// env may leave out the players if they are all alike.
template <class Action, class State>
struct EnvSpec {
  std::vector<ArrayOf<Action>> action;
  std::vector<ArrayOf<State>> state;
  std::vector<Player> players = {};
};

namespace internal {
// The arrays of a struct of any type: functions over it are compiled once, not for each type.
using PlacedArrays = std::vector<const PlacedArray*>;

template <class S>
PlacedArrays Placed(const std::vector<ArrayOf<S>>& arrays) {
  PlacedArrays all;
  for (const ArrayOf<S>& array : arrays) all.push_back(&array);
  return all;
}

// The error in words: with the name of the array whose View in the struct at `views` it is about.
inline std::string TextOf(const ViewError& error, const PlacedArrays& arrays, const void* views) {
  std::string all;
  for (const PlacedArray* const array : arrays) {
    View<std::byte> view;
    std::memcpy(&view, static_cast<const std::byte*>(views) + array->member_offset, sizeof(view));
    const std::byte* const begin = view.data.unchecked();
    if (begin <= error.place && error.place < begin + std::max(array->row_bytes, size_t{1})) {
      return error.before + "'" + array->name + "', " + error.after;
    }
    all += (all.empty() ? "" : ", ") + array->name;
  }
  return error.what() + (error.place == nullptr ? "; it lists " + all : "");
}

// Throws std::invalid_argument if two of the arrays are in one View: only the last would be
// written.
inline void CheckViews(const PlacedArrays& arrays) {
  for (size_t k = 0; k < arrays.size(); ++k) {
    for (size_t i = 0; i < k; ++i) {
      if (arrays[i]->member_offset != arrays[k]->member_offset) continue;
      throw std::invalid_argument("the arrays '" + arrays[i]->name + "' and '" + arrays[k]->name +
                                  "' are in one View; each needs its own");
    }
  }
}

// Whether the rows of two lists of arrays have the same places and sizes.
inline bool HaveSameRows(const PlacedArrays& x, const PlacedArrays& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const PlacedArray* a, const PlacedArray* b) {
                      return a->member_offset == b->member_offset && a->row_bytes == b->row_bytes;
                    });
}

// The Views of an Action or a State over any row of the columns of a batch. Set up once per chunk;
// each row then costs one multiply-add per word.
template <class S>
class RowViews {
 public:
  RowViews(const std::vector<ArrayOf<S>>& arrays, std::byte* const* columns) {
    if constexpr (std::is_empty_v<S>) return;
    S first{};
    for (size_t k = 0; k < arrays.size(); ++k) {
      arrays[k].Bind(&first, columns[k]);
      stride_[arrays[k].member_offset / sizeof(View<std::byte>)] = arrays[k].row_bytes;
    }
    std::memcpy(first_.data(), &first, sizeof(S));
  }

  S operator[](int64_t row) const {
    Words words = first_;
    for (size_t k = 0; k < stride_.size(); ++k) words[2 * k] += row * stride_[k];
    S views;
    std::memcpy(static_cast<void*>(&views), words.data(), sizeof(S));
    return views;
  }

 private:
  static_assert(std::is_trivially_copyable_v<S>);
  static_assert(offsetof(View<std::byte>, data) == 0 && sizeof(std::byte*) == sizeof(int64_t));
  static_assert(sizeof(View<std::byte>) == 2 * sizeof(int64_t));
  static constexpr size_t kViews =
      (sizeof(S) + sizeof(View<std::byte>) - 1) / sizeof(View<std::byte>);
  using Words = std::array<int64_t, 2 * kViews>;

  Words first_ = {};                         // the Views of row 0, as raw memory
  std::array<int64_t, kViews> stride_ = {};  // of each View: bytes from row to row
};
}  // namespace internal

// The number of players that the arrays have room for; 0 if none is per player. Throws
// std::invalid_argument if two arrays differ.
inline int32_t PlayersOf(Span<ArraySpec> action, Span<ArraySpec> state) {
  const ArraySpec* first = nullptr;
  for (const Span<ArraySpec>& arrays : {action, state}) {
    for (const ArraySpec& array : arrays) {
      if (array.players == 0) continue;
      if (first == nullptr) first = &array;
      if (array.players == first->players) continue;
      throw std::invalid_argument(std::string("array '") + first->name + "' is for " +
                                  std::to_string(first->players) + " players and '" + array.name +
                                  "' for " + std::to_string(array.players) +
                                  "; all of an env must be for the same number");
    }
  }
  return first == nullptr ? 0 : first->players;
}

}  // namespace parallel_pool
