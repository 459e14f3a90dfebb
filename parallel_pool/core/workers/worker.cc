#include "parallel_pool/core/workers/worker.h"

#include <cstdio>
#include <utility>

#include "parallel_pool/core/engine/batch.h"
#include "parallel_pool/core/engine/pool_host.h"

namespace parallel_pool {

namespace {

std::vector<std::byte*> ActionsOf(const SharedMemory& memory, const SharedHeader& link,
                                  const Setup& setup) {
  std::vector<std::byte*> rows;
  for (int32_t k = 0; k < setup.action_spec().size; ++k) {
    rows.push_back(memory.At<std::byte>(link.actions[k]));
  }
  return rows;
}

}  // namespace

PoolWorker::PoolWorker(int file, int number, std::shared_ptr<const Setup> setup,
                       PoolOptions options, std::unique_ptr<EnvGroup> group)
    : memory_(file),
      link_(*memory_.At<SharedHeader>(0)),
      number_(number),
      lanes_(memory_.At<WorkerQueue>(link_.lanes)),
      lane_(lanes_[number]),
      tickets_(memory_.At<Ticket>(lane_.tickets)),
      records_(memory_.At<TicketResult>(lane_.records)),
      owners_(memory_.At<std::atomic<uint64_t>>(link_.owners)),
      seeds_(memory_.At<SharedSeed>(link_.seeds)),
      errors_(memory_.At<char>(link_.errors)),
      setup_(std::move(setup)),
      options_(std::move(options)),
      layout_(*setup_, options_),
      group_(std::move(group)),
      actions_(ActionsOf(memory_, link_, *setup_)),
      views_(link_.num_batches),
      runner_(options_, layout_, *this, 1,
              {.group = group_.get(),
               .actions = actions_.data(),
               .states = memory_.At<EnvState>(link_.states),
               .episodes = link_.episodes == 0 ? nullptr : memory_.At<Episode>(link_.episodes)}) {}

void PoolWorker::View::Show(const SharedBatch& batch, const SharedMemory& memory,
                            const std::vector<Column>& columns) {
  rows_ = batch.rows;
  first_row_ = batch.first_row;
  if (block == batch.block && capacity == batch.capacity) return;
  block = batch.block;
  capacity = batch.capacity;
  columns_ = PlacesOf(columns, capacity, memory.At<std::byte>(block));
}

uint64_t PoolWorker::Take(int) {
  record_.row = TakeRow(link_, owners_, static_cast<uint32_t>(number_));
  return record_.row;
}

BatchRows& PoolWorker::At(uint64_t number) {
  const uint64_t slot = number % static_cast<uint64_t>(link_.num_batches);
  views_[slot].Show(memory_.At<SharedBatch>(link_.batches)[slot], memory_, layout_.columns());
  return views_[slot];
}

void PoolWorker::DoOldest() noexcept {
  const uint64_t done = lane_.done.load(std::memory_order_relaxed);
  const Ticket ticket = tickets_[done & lane_.mask];
  record_ = {};
  SharedSeed& seed = seeds_[ticket.env];
  if (std::exchange(seed.given, 0) != 0) {
    Error none;
    group_->Prepare(ticket.env, {.seed = &seed.seed}, &none);
  }
  lane_.before = memory_.At<EnvState>(link_.states)[ticket.env];
  lane_.begun.store(done + 1, std::memory_order_release);
  const auto begin = Clock::now();
  runner_.Run(0, {&ticket, 1});
  const std::chrono::nanoseconds time = Clock::now() - begin;
  memory_.At<EnvTimes>(link_.times)[ticket.env].Add(
      ticket.reset || lane_.before.next == Turn::kReset, time.count());
  if (record_.failed != 0) {
    std::snprintf(errors_ + ticket.env * sizeof(Error::text), sizeof(Error::text), "%s",
                  group_->Failure(ticket.env));
  }
  records_[done & lane_.mask] = record_;
  lane_.done.store(done + 1, std::memory_order_seq_cst);
  const uint64_t wake_at = link_.wake_at.load(std::memory_order_seq_cst);
  if (wake_at != kNever && DoneByAll(link_, lanes_) >= wake_at) SharedSync::Wake(link_.bell);
}

bool PoolWorker::MessageIsNext() {
  if (!has_message()) return false;
  if (message_after_ == kNever) message_after_ = lane_.sent.load(std::memory_order_seq_cst);
  return lane_.done.load(std::memory_order_relaxed) >= message_after_;
}

void PoolWorker::EndMessage() {
  message_after_ = kNever;
  lane_.answered.fetch_add(1, std::memory_order_seq_cst);
}

// Whether a core is free: the pool's process and the workers that are busy or spin have one each.
bool PoolWorker::MaySpin() const {
  int taken = 1;
  for (int k = 0; k < link_.num_workers; ++k) {
    const WorkerQueue& lane = lanes_[k];
    if (k == number_) continue;
    taken += lane.spinning.load(std::memory_order_relaxed) != 0 ||
             lane.sent.load(std::memory_order_relaxed) != lane.done.load(std::memory_order_relaxed);
  }
  return taken < link_.usable_threads;
}

bool PoolWorker::Wait() {
  while (!has_work()) {
    if (stopped()) return false;
    if (MaySpin()) {
      lane_.spinning.store(1, std::memory_order_relaxed);
      const bool found = backoff_.Spin<RealSync>([this] { return has_work(); });
      lane_.spinning.store(0, std::memory_order_relaxed);
      if (found) return true;
    }
    const uint32_t seen = lane_.bell.load(std::memory_order_seq_cst);
    lane_.asleep.store(1, std::memory_order_seq_cst);
    if (!has_work() && !stopped()) {
      SharedSync::Wait(lane_.bell, seen, std::chrono::hours(1));
    }
    lane_.asleep.store(0, std::memory_order_seq_cst);
  }
  return true;
}

}  // namespace parallel_pool
