// A few threads that share the parts of a call.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace parallel_pool::mujoco {

class Threads {
 public:
  // `size` counts the caller's thread.
  explicit Threads(int size);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  // Calls part(0) to part(n - 1), each on one of the threads, and returns when all have returned.
  // `part` must not throw. One caller at a time.
  void Run(int n, const std::function<void(int)>& part);

 private:
  void Work();
  void TakeParts(const std::function<void(int)>& part, int n);

  std::mutex mutex_;
  std::condition_variable begins_, ends_;
  const std::function<void(int)>* part_ = nullptr;
  int size_ = 0;                  // parts of the call
  std::atomic<int64_t> call_{0};  // counts calls
  std::atomic<int> busy_{0};      // threads that have not ended the call yet
  std::atomic<int> next_{0};      // the part that is taken next
  bool stops_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace parallel_pool::mujoco
