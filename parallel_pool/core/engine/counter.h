// Numbers that one thread at a time changes, and others read.
#pragma once

#include <atomic>
#include <cstdint>

namespace parallel_pool {

class Counter {
 public:
  int64_t value() const { return value_.load(std::memory_order_relaxed); }
  void Add(int64_t more) { value_.store(value() + more, std::memory_order_relaxed); }
  void Raise(int64_t to) {
    if (to > value()) value_.store(to, std::memory_order_relaxed);
  }

 private:
  std::atomic<int64_t> value_{0};
};

}  // namespace parallel_pool
