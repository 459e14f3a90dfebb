// The state of an env as bytes, for Pool::Save and Pool::Load. An env that has
//
//   auto Saved() { return std::tie(x_, x_dot_, theta_); }
//
// names each member of its state once; its Config and its Rng are not part of it. Members may be
// numbers, plain structs, std::vector and std::string of them, and classes with
// `void Save(Writer&) const` and `bool Load(Reader&)`; Load returns false if the bytes are wrong.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {
namespace internal {

template <class T>
struct IsSequence : std::false_type {};
template <class T>
struct IsSequence<std::vector<T>> : std::true_type {};
template <>
struct IsSequence<std::string> : std::true_type {};

template <class T>
inline constexpr bool kSavesItself = requires(T& value, Writer& writer, Reader& reader) {
  value.Save(writer);
  { value.Load(reader) } -> std::same_as<bool>;
};

template <class T>
void WriteValue(Writer& writer, const T& value) {
  if constexpr (kSavesItself<T>) {
    value.Save(writer);
  } else if constexpr (IsSequence<T>::value) {
    static_assert(std::is_trivially_copyable_v<typename T::value_type>);
    const uint64_t size = value.size();
    writer.Write(&size, sizeof(size));
    writer.Write(value.data(), size * sizeof(typename T::value_type));
  } else {
    static_assert(std::is_trivially_copyable_v<T>, "Saved() holds numbers, plain structs, vectors");
    writer.Write(&value, sizeof(T));
  }
}

// False if the bytes end before the value does.
template <class T>
bool ReadValue(Reader& reader, T& value) {
  if constexpr (kSavesItself<T>) {
    return value.Load(reader);
  } else if constexpr (IsSequence<T>::value) {
    uint64_t size = 0;
    if (!reader.Read(&size, sizeof(size))) return false;
    if (size * sizeof(typename T::value_type) > reader.left()) return false;
    value.resize(size);
    return reader.Read(value.data(), size * sizeof(typename T::value_type));
  } else {
    return reader.Read(&value, sizeof(T));
  }
}

}  // namespace internal

// Writes all values of a tie.
template <class... T>
void WriteAll(Writer& writer, const std::tuple<T&...>& values) {
  std::apply([&](const T&... value) { (internal::WriteValue(writer, value), ...); }, values);
}

// Reads all values of a tie; false if the bytes are wrong or end too early.
template <class... T>
bool ReadAll(Reader& reader, const std::tuple<T&...>& values) {
  return std::apply([&](T&... value) { return (internal::ReadValue(reader, value) && ...); },
                    values);
}

}  // namespace parallel_pool
