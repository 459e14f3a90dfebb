// Where the time of a pool goes: an observer of its threads, its envs and its caller.
//
//   Profile::Call         the caller: a call of the pool, reading actions and making arrays
//   included ProfilingDispatcher   its sends and waits
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
#include <mutex>
#include <span>
#include <vector>

#include "parallel_pool/core/engine/chunk_runner.h"
#include "parallel_pool/core/engine/counter.h"
#include "parallel_pool/core/engine/dispatcher.h"
#include "parallel_pool/core/engine/forwarding.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

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

  // The pool is in a call of the program while one of these lives. Several may: they are nested, or
  // of two threads. `profile` may be nullptr.
  class Call {
   public:
    explicit Call(Profile* profile) : profile_(profile) {
      if (profile != nullptr) profile->Enter();
    }
    ~Call() {
      if (profile_ != nullptr) profile_->Leave();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Profile* const profile_;
  };

  // `first_envs`: the first env of each task. The profile shall end after `limit`.
  Profile(int num_envs, int num_threads, std::vector<int32_t> first_envs,
          std::chrono::nanoseconds limit);

  int64_t NowNs() const;
  bool is_due() const { return NowNs() >= limit_ns_; }
  // The profile ends here, outside of all calls.
  void End();
  int64_t ended_ns() const { return ended_ns_; }
  void AddEvent(Home& home, int64_t begin, int64_t end, int64_t envs);
  // Counts `count` steps, or resets, that together took `ns`.
  void AddSteps(Home& home, const int32_t* envs, int32_t count, int64_t ns);
  void AddResets(Home& home, const int32_t* envs, int32_t count, int64_t ns);

  std::vector<Home>& homes() { return homes_; }
  Env* envs() { return envs_.get(); }

  // The caller's. The time that is in none of the two goes into reading actions and making arrays.
  Home caller;         // events: its own computations
  Counter program_ns;  // outside of all calls, from the first moment to the last
  Counter wait_ns;     // for batches; a sync pool's caller runs envs meanwhile
  Counter calls;
  std::atomic<int64_t> sent_at{0};

 private:
  void Enter();
  void Leave();
  void EndProgramTime(int64_t now);
  size_t TaskOf(int32_t env) const;
  void Bin(std::vector<std::vector<Counter>>& buckets, const int32_t* envs, int32_t count,
           int64_t each) const;

  const std::chrono::steady_clock::time_point begin_;
  const int64_t limit_ns_;
  const std::vector<int32_t> first_envs_;
  std::vector<Home> homes_;
  const std::unique_ptr<Env[]> envs_;
  std::mutex mutex_;  // of the rest
  int open_calls_ = 0;
  int64_t left_at_ = 0;  // when the last call has ended
  int64_t ended_ns_ = 0;
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
      : dispatcher_(std::move(dispatcher)), profile_(profile) {}
  std::unique_ptr<Dispatcher> Take() { return std::move(dispatcher_); }

  void Add(uint64_t number, const Batch& batch) override { dispatcher_->Add(number, batch); }
  void Send(std::span<const int32_t> envs, uint32_t batch, bool reset) override;
  bool Await(Batch& batch, std::chrono::nanoseconds limit) override;
  void Skip(uint64_t first, uint64_t count) override { dispatcher_->Skip(first, count); }
  int64_t EstimateNs(int64_t count) const override { return dispatcher_->EstimateNs(count); }
  bool Stop(std::chrono::nanoseconds limit) override { return dispatcher_->Stop(limit); }

 private:
  std::unique_ptr<Dispatcher> dispatcher_;
  Profile& profile_;
};

}  // namespace parallel_pool
