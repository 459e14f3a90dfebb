// Where the time of a pool goes: an observer of its threads, its envs and its caller.
//
//   ProfilingDispatcher   the caller: its own time between two calls, and its waits
//     ProfilingRunner     each thread: its chunks
//       ProfilingGroup    the envs: steps and resets
//
// They stand around the pool's own parts while a profile is made, so without one nothing is
// measured. Counters are relaxed atomics with one writer each; a snapshot may be a chunk behind.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "parallel_pool/core/engine/dispatcher.h"
#include "parallel_pool/core/engine/forwarding.h"
#include "parallel_pool/core/engine/scheduler.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// A number that one thread at a time changes.
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

// Bucket 4 e + f has times of (4 + f) 2^(e - 2) ns and more, below those of the next one.
inline constexpr int kTimeBuckets = 4 * 41;

class Profile {
 public:
  // Steps, or resets, of an env. Where several were made together, each has their mean, and only
  // one of the steps is counted.
  struct Times { Counter count, ns, longest; };
  struct Env { Times steps, resets; };
  // A chunk, or a wait or a computation of the caller. Times since the start of the profile.
  struct Event {
    int64_t begin_ns, end_ns;
    int32_t envs;
  };
  // Those of one thread, which writes them.
  struct alignas(64) Home {
    Counter chunks;
    // One in 32 cheap chunks is timed, and one in 128 is taken apart into steps and resets, which
    // makes it slower.
    Counter timed, timed_ns;
    Counter delay_ns;  // of those that were timed: from the last Send to their beginnings
    // All that follows is of the chunks that were taken apart.
    Counter apart_ns, step_ns, reset_ns;
    std::vector<std::vector<Counter>> steps, resets;  // by task, kTimeBuckets each
    std::vector<Event> events;                        // the first kMaxEvents
    std::atomic<size_t> num_events{0};
  };
  static constexpr size_t kMaxEvents = 20'000;  // of a thread

  // `first_envs`: the first env of each task.
  Profile(int num_envs, int num_threads, std::vector<int32_t> first_envs);

  int64_t NowNs() const;
  void AddEvent(Home& home, int64_t begin, int64_t end, int64_t envs);
  // Counts `count` steps, or resets, that together took `ns`.
  void AddSteps(Home& home, const int32_t* envs, int32_t count, int64_t ns);
  void AddResets(Home& home, const int32_t* envs, int32_t count, int64_t ns);

  std::vector<Home>& homes() { return homes_; }
  Env* envs() { return envs_.get(); }

  // The caller's.
  Home caller;  // events: its own computations
  Counter program_ns, wait_ns, calls;
  std::atomic<int64_t> sent_at{0};

 private:
  size_t TaskOf(int32_t env) const;
  void Bin(std::vector<std::vector<Counter>>& buckets, const int32_t* envs, int32_t count,
           int64_t each) const;

  const std::chrono::steady_clock::time_point begin_;
  const std::vector<int32_t> first_envs_;
  std::vector<Home> homes_;
  const std::unique_ptr<Env[]> envs_;
};

class ProfilingRunner final : public ChunkRunner {
 public:
  ProfilingRunner(ChunkRunner& runner, Profile& profile) : runner_(runner), profile_(profile) {}
  void Run(int home, std::span<const Ticket> tickets) noexcept override;

 private:
  ChunkRunner& runner_;
  Profile& profile_;
};

class ProfilingGroup final : public ForwardingGroup {
 public:
  using ForwardingGroup::ForwardingGroup;
  EnvGroup* inner() const { return group_.get(); }
  void Step(const int32_t* envs, const Turn* turns, int32_t count, std::byte* const* actions,
            Result* results) noexcept override;
};

class ProfilingDispatcher final : public Dispatcher {
 public:
  ProfilingDispatcher(std::unique_ptr<Dispatcher> dispatcher, Profile& profile)
      : dispatcher_(std::move(dispatcher)), profile_(profile), left_at_(profile.NowNs()) {}
  std::unique_ptr<Dispatcher> Take() { return std::move(dispatcher_); }

  void Add(uint64_t number, const Batch& batch) override { dispatcher_->Add(number, batch); }
  void Send(std::span<const int32_t> envs, uint32_t batch, bool reset) override;
  bool Await(Batch& batch, std::chrono::nanoseconds limit) override;
  int64_t EstimateNs(int64_t count) const override { return dispatcher_->EstimateNs(count); }
  void Stop() override { dispatcher_->Stop(); }

 private:
  int64_t Enter();  // the caller's own time ends: now

  std::unique_ptr<Dispatcher> dispatcher_;
  Profile& profile_;
  int64_t left_at_;  // when the caller's own time has begun
};

}  // namespace parallel_pool
