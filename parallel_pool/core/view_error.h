// The errors of a View (spec.h). They are thrown outside of its functions, which stay small.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace parallel_pool::internal {

// A View was used against its size. Its text is `before` and `after`; a name fits between them.
struct ViewError : std::out_of_range {
  ViewError(const void* place, const std::string& before, const std::string& after)
      : std::out_of_range(before + after), place(place), before(before), after(after) {}

  const void* place;  // in the row that was meant; nullptr: Describe does not list the View
  std::string before, after;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void ThrowNotListed() {
  throw ViewError(nullptr, "the env uses a View that Describe does not list", "");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void ThrowIndex(const void* place, size_t index,
                                                              size_t size) {
  if (place == nullptr) ThrowNotListed();
  throw ViewError(place, "index " + std::to_string(index) + " of ",
                  "a View of " + std::to_string(size) + " elements");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void ThrowCount(const void* place, size_t values,
                                                              size_t size) {
  if (place == nullptr) ThrowNotListed();
  throw ViewError(place, "Assign got " + std::to_string(values) + " values for ",
                  "a View of " + std::to_string(size) + " elements");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void ThrowChunk(int i, int size) {
  throw std::out_of_range("env " + std::to_string(i) + " of a chunk of " + std::to_string(size));
}

// The first element of a View. Its use as a pointer throws if Describe does not list the View, and
// comparisons do not.
template <class T>
class Place {
 public:
  Place() = default;
  explicit Place(T* place) : place_(place) {}
  operator T*() const {
    if (place_ == nullptr) [[unlikely]]
      ThrowNotListed();
    return place_;
  }
  explicit operator bool() const { return place_ != nullptr; }
  bool operator==(T* other) const { return place_ == other; }
  bool operator==(std::nullptr_t) const { return place_ == nullptr; }
  T* unchecked() const { return place_; }

 private:
  T* place_ = nullptr;
};

}  // namespace parallel_pool::internal
