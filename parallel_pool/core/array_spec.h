// The arrays of an env's action and state, and those of its players: a part of plugin.h.
#pragma once

#include <cstdint>

namespace parallel_pool {

template <class T>
struct Span {
  const T* data = nullptr;
  int32_t size = 0;

  const T* begin() const { return data; }
  const T* end() const { return data + size; }
  const T& operator[](int32_t i) const { return data[i]; }

  // The elements of a vector or array, which must outlive the span.
  template <class List>
  static Span Of(const List& list) {
    return {list.data(), static_cast<int32_t>(list.size())};
  }
};

// kFloat32Or64: an action of a float32 space, as it was sent. A row has n floats or doubles in 8 n
// bytes, and then 8 bytes, of which the first says whether they are doubles.
enum class DType : int32_t {
  kBool,
  kInt8,
  kUint8,
  kInt16,
  kInt32,
  kInt64,
  kFloat32,
  kFloat64,
  kFloat32Or64
};
enum class SpaceKind : int32_t {
  kBox,
  kDiscrete,       // one integer
  kMultiBinary,    // one axis of 0 and 1
  kMultiDiscrete,  // one axis of integers from 0 to a bound of each
  kText,           // ASCII, of uint8; zeros follow the last character
};

// One array of an env's action or state, without the batch axis.
struct ArraySpec {
  const char* name;
  DType dtype;
  SpaceKind kind;
  Span<int32_t> shape;     // shape of one env's row; empty for one number
  Span<double> low, high;  // one number for all elements, or one for each
  // 0: the array belongs to the env as a whole. Otherwise a row has room for this many players,
  // `shape` each, one player after another.
  int32_t players;
  const char* meanings;  // kDiscrete: a name for each value, joined by '\n'; empty: no names
};

// A player of an env, and its own spaces.
struct PlayerSpec {
  const char* name;  // "speaker_0"
  const char* role;  // "speaker": players with one role are alike
  // Parallel to Setup::action_spec() and state_spec(). The spec of an array that is per player is
  // this player's own: its shape has as many axes and is not larger. The player's data are at the
  // beginning of each axis.
  Span<ArraySpec> action, state;
};

}  // namespace parallel_pool
