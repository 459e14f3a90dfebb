#include "parallel_pool/core/scheduler.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>

#include "parallel_pool/core/machine.h"

namespace parallel_pool {
namespace {

constexpr int64_t kChunkNs = 20'000;  // work for one claim, and for one wake-up

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

void Pin(std::thread& thread, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  // A refusal costs speed only.
  pthread_setaffinity_np(thread.native_handle(), sizeof(set), &set);
}

}  // namespace

Scheduler::Scheduler(ChunkRunner& runner, int64_t capacity, int num_workers, bool caller_works,
                     const std::vector<int>& cpus)
    : runner_(runner),
      queue_(capacity),
      num_workers_(num_workers),
      caller_works_(caller_works),
      // A thread that spins takes its core from one that works, unless there is one to spare.
      idle_(std::min(num_workers, UsableThreads() - 1)) {
  try {
    for (int i = 0; i < num_workers; ++i) {
      workers_.emplace_back([this] { Work(); });
      if (!cpus.empty()) Pin(workers_.back(), cpus[i % cpus.size()]);
    }
  } catch (...) {  // the system refuses so many threads
    Stop();
    throw;
  }
}

void Scheduler::Send(int64_t count) {
  queue_.Publish(count);
  if (num_workers_ > 0) Wake(queue_.waiting());
}

// Wakes a worker for each 20 us of work; in a sync pool the receiver runs what is too small for
// that.
void Scheduler::Wake(int64_t waiting) {
  idle_.Wake(EstimateNs(waiting) / kChunkNs + (caller_works_ ? 0 : 1), waiting);
}

int64_t Scheduler::spin_ns() const {
  return idle_.may_spin() ? Idle::kPark.count() : 0;
}

int Scheduler::ChunkSize(int64_t waiting) const {
  const int threads = num_workers_ + (caller_works_ ? 1 : 0);
  const int64_t by_cost = kChunkNs / (step_ns_.load(std::memory_order_relaxed) + 1) + 1;
  const int64_t fair = threads == 1 ? waiting : waiting / (2 * threads) + 1;
  return static_cast<int>(std::min<int64_t>({by_cost, fair, waiting, kMaxChunk}));
}

bool Scheduler::RunOne() {
  Ticket tickets[kMaxChunk];
  uint64_t position;
  const int count =
      queue_.Claim(tickets, &position, [this](int64_t waiting) { return ChunkSize(waiting); });
  if (count == 0) return false;
  const int64_t start = NowNs();
  runner_.Run(tickets, count, position);
  const int64_t cost = (NowNs() - start) / count;
  const int64_t old = step_ns_.load(std::memory_order_relaxed);
  step_ns_.store(old == 0 ? cost : (7 * old + cost) / 8, std::memory_order_relaxed);
  // The estimate that Send woke by may have been low.
  if (num_workers_ > 0 && idle_.anyone_sleeps()) {
    if (const int64_t waiting = queue_.waiting(); waiting > 0) Wake(waiting);
  }
  return true;
}

void Scheduler::Work() {
  idle_.Work([this] { return RunOne(); }, [this] { return queue_.waiting() > 0; });
}

void Scheduler::Stop() {
  idle_.Stop();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

}  // namespace parallel_pool
