#include "parallel_pool/core/engine/scheduler.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "parallel_pool/core/engine/wait_for.h"
#include "parallel_pool/core/machine/limits.h"
#include "parallel_pool/core/machine/topology.h"
#include "parallel_pool/core/platform/processors.h"

namespace parallel_pool {
namespace {

constexpr int64_t kChunkNs = 20'000;  // work for one claim, and for one wake-up
constexpr int64_t kAloneNs = 5'000;   // work that is not worth sharing
// The longest chunk that a receiver runs itself, so that it keeps its time limit and answers
// signals. Much longer than the start of another thread.
constexpr int64_t kReceiverNs = 10'000'000;

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

}  // namespace

Scheduler::Scheduler(ChunkRunner& runner, int num_envs, bool caller_works,
                     const std::vector<std::vector<int>>& cpus, int preferred_chunk)
    : runner_(&runner),
      num_threads_(static_cast<int>(cpus.size())),
      num_workers_(num_threads_ - (caller_works ? 1 : 0)),
      preferred_chunk_(preferred_chunk),
      homes_(num_envs, num_threads_),
      // A thread that spins takes its core from one that works, unless there is one to spare.
      idle_(num_workers_, std::min(num_workers_, UsableThreads() - 1)) {
  try {
    for (int home = num_threads_ - num_workers_; home < num_threads_; ++home) {
      workers_.emplace_back([this, home] { Work(home); });
      {
        const std::lock_guard lock(mutex_);
        ++live_;
      }
      platform::Pin(workers_.back().native_handle(), cpus[home]);
    }
  } catch (...) {  // the system refuses so many threads
    Stop(kForever);
    throw;
  }
}

// One thread for each 20 us of work; all threads until the cost is measured.
int Scheduler::ThreadsFor(int64_t envs, bool reset) const {
  const int64_t env_ns = env_ns_[reset].load(std::memory_order_relaxed);
  const int64_t wanted = env_ns == 0 ? envs : 1 + envs * env_ns / kChunkNs;
  return static_cast<int>(std::min<int64_t>(num_threads_, wanted));
}

// The most envs of a ticket. A ticket is not divided: with an eighth of a thread's share, threads
// end at about the same time.
int Scheduler::TicketSize(int64_t envs, int threads, bool reset) const {
  const int64_t env_ns = env_ns_[reset].load(std::memory_order_relaxed);
  if (env_ns == 0) return 1;
  const int64_t fair = threads == 1 ? envs : envs / (8 * threads);
  return static_cast<int>(std::clamp<int64_t>(std::min(fair, kChunkNs / env_ns), 1, kMaxChunk));
}

// The number of envs to claim from a queue in which `waiting` tickets wait.
int64_t Scheduler::ClaimSize(int64_t waiting, const Ticket& oldest) const {
  const int64_t by_cost = ClaimSizeByCost(waiting, oldest);
  if (preferred_chunk_ <= by_cost) return by_cost;
  const int64_t envs = homes_.waiting() * oldest.count;
  const int free_threads = num_threads_ - running_.load(std::memory_order_relaxed) + 1;
  return std::max(by_cost, GrantedChunk(preferred_chunk_, envs, free_threads));
}

// A quarter of the waiting envs, unless they are too little work to share with another thread.
int64_t Scheduler::ClaimSizeByCost(int64_t waiting, const Ticket& oldest) const {
  const int64_t env_ns = env_ns_[oldest.reset].load(std::memory_order_relaxed);
  if (env_ns == 0) return 1;
  const int64_t most = std::clamp<int64_t>(kChunkNs / env_ns, 1, kMaxChunk);
  const int64_t envs = waiting * oldest.count;
  const bool alone = num_threads_ == 1 || envs * env_ns < kAloneNs;
  return alone ? most : std::clamp<int64_t>(envs / 4, 1, most);
}

void Scheduler::Send(std::span<const int32_t> envs, uint32_t batch, bool reset) {
  const auto count = static_cast<int64_t>(envs.size());
  const int threads = ThreadsFor(count, reset);
  sent_reset_ = reset;
  homes_.Send(envs, batch, reset, threads, TicketSize(count, threads, reset));
  // In a sync pool the receiver is one of the threads.
  if (num_workers_ > 0) idle_.Wake(threads - (num_threads_ - num_workers_));
}

bool Scheduler::Await(Batch& batch, std::chrono::nanoseconds limit) {
  const bool helps = num_workers_ < num_threads_;
  if (helps && !batch.ready()) Help();  // with few envs, one chunk is the batch
  if (batch.ready()) return true;
  for (const auto deadline = Clock::now() + limit; !batch.ready();) {
    if (helps && Help()) {
      if (!batch.ready() && Clock::now() >= deadline) return false;
    } else if (!idle_.may_spin() ||  // there is no spare core
               !backoff_.Spin<RealSync>([&batch] { return batch.ready(); })) {
      WakeAllIfWaiting();
      if (!batch.Wait(deadline - Clock::now())) return false;
    }
  }
  return true;
}

void Scheduler::WakeAllIfWaiting() {
  if (num_workers_ > 0 && idle_.anyone_sleeps() && homes_.any()) idle_.Wake(num_workers_);
}

int64_t Scheduler::EstimateNs(int64_t count) const {
  const int64_t env_ns = env_ns_[sent_reset_].load(std::memory_order_relaxed);
  return env_ns == 0 ? std::numeric_limits<int64_t>::max() : count * env_ns;
}

// Whether a chunk of such tickets may take longer than a receiver may work.
bool Scheduler::MayBeLong(const Ticket& oldest) const {
  const int64_t env_ns = env_ns_[oldest.reset].load(std::memory_order_relaxed);
  return env_ns == 0 || env_ns * std::max(oldest.count, preferred_chunk_) > kReceiverNs;
}

// Only one of the receiver and its stand-in works at a time: they are one thread of num_threads.
bool Scheduler::Help() {
  if (stand_in_.working() && (!homes_.any() || stand_in_.Continue())) return false;
  if (Run(/*home=*/0, /*cheap_only=*/true)) return true;
  return homes_.any() && !stand_in_.Start() && RunOne();
}

bool Scheduler::RunOne(int home) {
  return Run(home, /*cheap_only=*/false);
}

bool Scheduler::Run(int home, bool cheap_only) {
  if (preferred_chunk_ == 1) return ClaimAndRun(home, cheap_only);
  running_.fetch_add(1, std::memory_order_relaxed);
  const bool ran = ClaimAndRun(home, cheap_only);
  running_.fetch_sub(1, std::memory_order_relaxed);
  return ran;
}

bool Scheduler::ClaimAndRun(int home, bool cheap_only) {
  Ticket tickets[kMaxChunk];
  const int count = homes_.Claim(home, tickets, [&](int64_t waiting, const Ticket& oldest) {
    return cheap_only && MayBeLong(oldest) ? 0 : ClaimSize(waiting, oldest);
  });
  if (count == 0) return false;
  int64_t envs = 0;
  for (int i = 0; i < count; ++i) envs += tickets[i].count;
  const bool reset = tickets[0].reset;
  const int64_t start = NowNs();
  runner_.load(std::memory_order_acquire)->Run(home, {tickets, static_cast<size_t>(count)});
  const int64_t took = NowNs() - start;
  const int64_t old = env_ns_[reset].load(std::memory_order_relaxed);
  const int64_t now = took / envs + 1;
  env_ns_[reset].store(old == 0 ? now : (7 * old + now) / 8, std::memory_order_relaxed);
  // The estimate was too low when Send woke workers.
  if (took > 2 * kChunkNs) WakeAllIfWaiting();
  return true;
}

void Scheduler::Work(int home) {
  idle_.Work([this, home] { return RunOne(home); }, [this] { return homes_.any(); });
  const std::lock_guard lock(mutex_);
  --live_;
  ended_.notify_all();
}

bool Scheduler::Stop(std::chrono::nanoseconds limit) {
  idle_.Stop();
  if (!stand_in_.Stop(limit)) return false;
  {
    std::unique_lock lock(mutex_);
    if (!WaitFor(ended_, lock, limit, [this] { return live_ == 0; })) return false;
  }
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  return true;
}

}  // namespace parallel_pool
