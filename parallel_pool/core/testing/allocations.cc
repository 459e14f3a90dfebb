#include "parallel_pool/core/testing/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> allocations{0};
std::atomic<int64_t> failing{-1};  // the number of the allocation that fails
std::atomic<bool> has_failed{false};

void* Counted(void* p) {
  const int64_t number = allocations.fetch_add(1, std::memory_order_relaxed);
  if (number == failing.load(std::memory_order_relaxed)) {
    std::free(p);
    p = nullptr;
    has_failed = true;
  }
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

void* operator new(size_t size) {
  return Counted(std::malloc(size));
}
void* operator new(size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<size_t>(alignment);
  return Counted(std::aligned_alloc(unit, (size + unit - 1) / unit * unit));
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
  std::free(p);
}
void operator delete[](void* p, size_t, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, size_t) noexcept {
  std::free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  std::free(p);
}
void operator delete(void* p, size_t, std::align_val_t) noexcept {
  std::free(p);
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
