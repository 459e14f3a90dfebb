// A list of at most `n` elements without memory of its own, because Reset allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <stdexcept>

namespace parallel_pool::minigrid {

template <class T, size_t n>
class List {
 public:
  List() = default;
  List(std::initializer_list<T> values) {
    for (const T& value : values) Add(value);
  }

  void Add(const T& value) {
    if (size_ == n) throw std::length_error("a list of this level is full");
    values_[size_++] = value;
  }
  void Remove(size_t i) {
    for (; i + 1 < size_; ++i) values_[i] = values_[i + 1];
    --size_;
  }
  void Clear() { size_ = 0; }
  bool Contains(const T& value) const {
    for (const T& v : *this) {
      if (v == value) return true;
    }
    return false;
  }

  size_t size() const { return size_; }
  const T& operator[](size_t i) const { return values_[i]; }
  T& operator[](size_t i) { return values_[i]; }
  std::span<T> all() { return {values_.data(), size_}; }
  const T* begin() const { return values_.data(); }
  const T* end() const { return values_.data() + size_; }

 private:
  std::array<T, n> values_ = {};
  size_t size_ = 0;
};

}  // namespace parallel_pool::minigrid
