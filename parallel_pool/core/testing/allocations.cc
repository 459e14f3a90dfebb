#include "parallel_pool/core/testing/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> allocations{0};
std::atomic<int64_t> failing{-1};  // the number of the allocation that fails
std::atomic<bool> has_failed{false};

// Counts an allocation; throws if it is the one that fails.
void Count() {
  const int64_t number = allocations.fetch_add(1, std::memory_order_relaxed);
  if (number != failing.load(std::memory_order_relaxed)) return;
  has_failed = true;
  throw std::bad_alloc();
}

void* NotNull(void* p) {
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

#ifdef _WIN32  // it has no aligned_alloc, and free() is not for aligned memory
void* AllocateAligned(size_t unit, size_t size) {
  return _aligned_malloc(size, unit);
}
void FreeAligned(void* p) {
  _aligned_free(p);
}
#else
void* AllocateAligned(size_t unit, size_t size) {
  return std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
}
void FreeAligned(void* p) {
  std::free(p);
}
#endif

}  // namespace

void* operator new(size_t size) {
  Count();
  return NotNull(std::malloc(size));
}
void* operator new(size_t size, std::align_val_t alignment) {
  Count();
  return NotNull(AllocateAligned(static_cast<size_t>(alignment), size));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
// A sanitizer's library has its own of these, which would not match the ones above.
void* operator new[](size_t size) {
  return operator new(size);
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return operator new(size, alignment);
}
void operator delete[](void* p) noexcept {
  std::free(p);
}
void operator delete[](void* p, size_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
  FreeAligned(p);
}
void operator delete[](void* p, size_t, std::align_val_t) noexcept {
  FreeAligned(p);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, size_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  FreeAligned(p);
}
void operator delete(void* p, size_t, std::align_val_t) noexcept {
  FreeAligned(p);
}

int64_t parallel_pool::testing::Allocations() {
  return allocations;
}

void parallel_pool::testing::FailAllocation(int64_t n) {
  has_failed = false;
  failing = n < 0 ? -1 : allocations + n;
}

bool parallel_pool::testing::HasFailed() {
  return has_failed;
}
