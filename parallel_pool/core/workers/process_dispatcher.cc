#include "parallel_pool/core/workers/process_dispatcher.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>

namespace parallel_pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// The longest sleep of the receiver, after which it looks whether the workers live.
constexpr milliseconds kSlice{20};
// The longest spin of the receiver. A wake-up by another process costs more than one by a thread.
constexpr std::chrono::microseconds kSpin{200};

}  // namespace

void ProcessDispatcher::Add(uint64_t number, const Batch& batch) {
  const auto num_batches = static_cast<uint64_t>(link_.num_batches);
  const uint64_t slot = number % num_batches;
  processes_.memory_->At<SharedBatch>(link_.batches)[slot] = {
      processes_.memory_->OffsetOf(batch.block()), batch.capacity(), batch.rows(),
      batch.first_row()};
  if (sync_) return;
  const auto size = static_cast<uint64_t>(parts_.options.batch_size);
  for (uint64_t row = slot * size; row < (slot + 1) * size; ++row) {
    owners_[row].store(OwnerOf(number / num_batches, 0), std::memory_order_release);
  }
}

void ProcessDispatcher::Send(std::span<const int32_t> envs, uint32_t batch, bool reset) {
  const std::lock_guard lock(processes_.mutex_);
  for (size_t i = 0; i < envs.size(); ++i) {
    const int worker = worker_of_[envs[i]];
    WorkerQueue& lane = lanes_[worker];
    TicketAt(worker, lane.next++) = {
        .env = envs[i], .count = 1, .row = static_cast<int32_t>(i), .batch = batch, .reset = reset};
  }
  for (int worker = 0; worker < link_.num_workers; ++worker) Publish(worker);
}

void ProcessDispatcher::Publish(int worker) {
  WorkerQueue& lane = lanes_[worker];
  const uint64_t sent = lane.sent.load(std::memory_order_relaxed);
  if (lane.next == sent) return;
  if (sent == lane.done.load(std::memory_order_relaxed)) since_[worker] = Clock::now();
  lane.sent.store(lane.next, std::memory_order_seq_cst);
  if (lane.asleep.load(std::memory_order_seq_cst) != 0) SharedSync::Wake(lane.bell);
}

void ProcessDispatcher::Collect() {
  for (int worker = 0; worker < link_.num_workers; ++worker) CollectFrom(worker);
}

void ProcessDispatcher::CollectFrom(int worker) {
  const WorkerQueue& lane = lanes_[worker];
  const uint64_t done = lane.done.load(std::memory_order_acquire);
  uint64_t& next = collected_[worker];
  const auto* const records = processes_.memory_->At<TicketResult>(lane.records);
  for (; next < done; ++next, ++all_collected_) {
    const Ticket ticket = TicketAt(worker, next);
    const TicketResult record = records[next & lane.mask];
    const auto size = static_cast<uint64_t>(parts_.options.batch_size);
    Batch& batch = *parts_.batches[sync_ ? ticket.batch : record.row / size].load();
    const int row = sync_ ? ticket.row : static_cast<int>(record.row - batch.first_row());
    if (!sync_) owners_[record.row % link_.num_owners].store(kWritten, std::memory_order_relaxed);
    if (record.failed != 0) batch.Fail(row);
    batch.Finish(1);
  }
}

// Whether a core is free: each busy or spinning worker has one.
bool ProcessDispatcher::MaySpin() const {
  int taken = 0;
  for (int k = 0; k < link_.num_workers; ++k) {
    taken += lanes_[k].spinning.load(std::memory_order_relaxed) != 0 ||
             lanes_[k].sent.load(std::memory_order_relaxed) !=
                 lanes_[k].done.load(std::memory_order_relaxed);
  }
  return taken < link_.usable_threads;
}

bool ProcessDispatcher::Await(Batch& batch, nanoseconds limit) {
  const auto begin = Clock::now();
  const auto deadline = begin + limit;
  // In an async pool, other workers may keep the caller busy while one hangs.
  if (begin - checked_ > kSlice) CheckWorkers();
  for (;;) {
    Collect();
    if (batch.ready()) return true;
    const uint64_t wanted = all_collected_ + batch.unfinished();
    const auto has_done = [&] { return DoneByAll(link_, lanes_) >= wanted; };
    if (MaySpin() && backoff_.Spin<RealSync>(has_done, kSpin)) continue;
    const nanoseconds left = deadline - Clock::now();
    if (left.count() <= 0) return false;
    Sleep(batch, std::min<nanoseconds>(left, kSlice));
    if (!has_done()) CheckWorkers();
  }
}

void ProcessDispatcher::Skip(uint64_t first, uint64_t count) {
  for (uint64_t row = first; row < first + count; ++row) {
    owners_[row % link_.num_owners].store(kWritten, std::memory_order_release);
  }
}

void ProcessDispatcher::Sleep(const Batch& batch, nanoseconds limit) {
  const uint64_t wanted = all_collected_ + batch.unfinished();
  const uint32_t seen = link_.bell.load(std::memory_order_seq_cst);
  link_.wake_at.store(wanted, std::memory_order_seq_cst);
  if (DoneByAll(link_, lanes_) < wanted) SharedSync::Wait(link_.bell, seen, limit);
  link_.wake_at.store(kNever, std::memory_order_seq_cst);
}

// Ends workers that take too long, and fails the tickets of those that have died.
void ProcessDispatcher::CheckWorkers() {
  checked_ = Clock::now();
  for (int k = 0; k < link_.num_workers; ++k) {
    std::string why;
    const auto ended = Ended(k, &why);
    if (ended == nullptr) continue;
    if (why.empty()) why = processes_.WhyEnded(k, *ended);
    const std::lock_guard lock(processes_.mutex_);
    processes_.Lose(k, why);
    FailRest(k);
  }
}

// The process of a worker if it has died just now, else nullptr. Ends one that takes too long, and
// says so in `why`.
std::shared_ptr<const platform::ProcessWatch> ProcessDispatcher::Ended(int k, std::string* why) {
  const std::lock_guard lock(processes_.mutex_);
  const auto watch = processes_.watches_[k];
  const WorkerQueue& lane = lanes_[k];
  const bool is_busy = lane.sent.load() != lane.done.load();
  if (watch == nullptr) {  // it has died before, and tickets came
    if (is_busy) FailRest(k);
    return nullptr;
  }
  const nanoseconds limit = processes_.step_timeout_;
  const uint64_t progress = lane.done.load() + lane.answered.load();
  if (std::exchange(progress_[k], progress) != progress) since_[k] = checked_;
  if (limit.count() > 0 && is_busy && checked_ - since_[k] > limit) {
    watch->Kill();
    char text[64];
    std::snprintf(text, sizeof text, "it did not answer within step_timeout = %g s",
                  static_cast<double>(limit.count()) / 1e9);
    *why = text;
  }
  return watch->HasEnded(milliseconds(why->empty() ? 0 : 1000)) ? watch : nullptr;
}

// Does the tickets of a dead worker: their rows fail.
void ProcessDispatcher::FailRest(int worker) {
  CollectFrom(worker);
  WorkerQueue& lane = lanes_[worker];
  for (uint64_t next = collected_[worker]; next < lane.sent.load(); ++next) {
    const Ticket ticket = TicketAt(worker, next);
    std::snprintf(processes_.memory_->At<char>(link_.errors) + ticket.env * sizeof(Error::text),
                  sizeof(Error::text), "%s", processes_.fates_[worker].c_str());
    if (!sync_) row_ = RowFor(worker);
    if (lane.begun.load() == next + 1) parts_.states[ticket.env] = lane.before;
    runner_.Run(0, {&ticket, 1});
    if (!sync_) owners_[row_ % link_.num_owners].store(kWritten, std::memory_order_relaxed);
    ++collected_[worker];
    ++all_collected_;
    lane.done.store(next + 1, std::memory_order_seq_cst);
  }
}

// The row that a dead worker had taken and not written, or a new one.
uint64_t ProcessDispatcher::RowFor(int worker) {
  for (uint64_t i = 0; i < link_.num_owners; ++i) {
    const uint64_t owner = owners_[i].load(std::memory_order_acquire);
    if (owner == kWritten || (owner & UINT32_MAX) != static_cast<uint64_t>(worker) + 1) continue;
    return (owner >> 32) * link_.num_owners + i;
  }
  return TakeRow(link_, owners_, static_cast<uint32_t>(worker));
}

// Python ends the processes.
bool ProcessDispatcher::Stop(nanoseconds) {
  link_.stop.store(1, std::memory_order_seq_cst);
  for (int k = 0; k < link_.num_workers; ++k) SharedSync::Wake(lanes_[k].bell);
  return true;
}

}  // namespace parallel_pool
