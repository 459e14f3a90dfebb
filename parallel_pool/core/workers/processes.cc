// The memory that a pool shares with its workers (link.h describes it), and the workers' lives.
#include "parallel_pool/core/workers/processes.h"

#include <bit>
#include <stdexcept>
#include <utility>

#include "parallel_pool/core/engine/homes.h"
#include "parallel_pool/core/machine/limits.h"
#include "parallel_pool/core/workers/process_dispatcher.h"
#include "parallel_pool/core/workers/remote_group.h"

namespace parallel_pool {

using std::chrono::nanoseconds;

WorkerHost::WorkerHost(int num_envs, int num_workers, nanoseconds step_timeout,
                       std::shared_ptr<EnvCalls> calls)
    : num_envs_(num_envs),
      num_workers_(num_workers),
      step_timeout_(step_timeout),
      calls_(std::move(calls)),
      memory_(std::make_shared<SharedMemory>()),
      link_(memory_->MakeArray<SharedHeader>(1)),
      times_(memory_->MakeArray<EnvTimes>(num_envs)),
      watches_(num_workers),
      fates_(num_workers) {
  lanes_ = memory_->MakeArray<WorkerQueue>(num_workers);
  for (int k = 0; k < num_workers; ++k) {
    WorkerQueue& lane = lanes_[k];
    lane.first_env = FirstEnv(k, num_envs, num_workers);
    lane.num_envs = FirstEnv(k + 1, num_envs, num_workers) - lane.first_env;
    // An env has at most one ticket that is not collected.
    const auto room = static_cast<int64_t>(std::bit_ceil(static_cast<uint32_t>(lane.num_envs)));
    lane.mask = static_cast<uint64_t>(room) - 1;
    lane.tickets = memory_->OffsetOf(memory_->MakeArray<Ticket>(room));
    lane.records = memory_->OffsetOf(memory_->MakeArray<TicketResult>(room));
  }
  link_->num_workers = num_workers;
  link_->usable_threads = UsableThreads();
  link_->lanes = memory_->OffsetOf(lanes_);
  link_->times = memory_->OffsetOf(times_);
  link_->wake_at.store(kNever);
}

std::unique_ptr<EnvGroup> WorkerHost::MakeGroup() {
  auto group = std::make_unique<WorkerEnvGroup>(*memory_, num_envs_, *calls_);
  link_->seeds = memory_->OffsetOf(group->seeds());
  link_->errors = memory_->OffsetOf(group->errors());
  return group;
}

std::unique_ptr<Dispatcher> WorkerHost::Start(const PoolView& parts) {
  link_->states = memory_->OffsetOf(parts.states);
  link_->episodes = parts.episodes == nullptr ? 0 : memory_->OffsetOf(parts.episodes);
  const size_t arrays = parts.actions.arrays().size();
  if (arrays > std::size(link_->actions)) {
    throw std::invalid_argument("an action has more than " +
                                std::to_string(std::size(link_->actions)) + " arrays");
  }
  for (size_t k = 0; k < arrays; ++k) {
    link_->actions[k] = memory_->OffsetOf(parts.actions.rows()[k]);
  }
  link_->num_batches = static_cast<int32_t>(parts.batches.size());
  link_->batches = memory_->OffsetOf(memory_->MakeArray<SharedBatch>(link_->num_batches));
  link_->num_owners = parts.batches.size() * static_cast<uint64_t>(parts.options.batch_size);
  link_->owners = memory_->OffsetOf(
      memory_->MakeArray<std::atomic<uint64_t>>(static_cast<int64_t>(link_->num_owners)));
  return std::make_unique<ProcessDispatcher>(*this, parts);
}

void WorkerHost::SetProcess(int k, int pid) {
  auto watch = std::make_shared<const platform::ProcessWatch>(pid);
  const std::lock_guard lock(mutex_);
  watches_[k] = std::move(watch);
  lanes_[k].answered.store(lanes_[k].messages.load());
}

void WorkerHost::Lose(int k, const std::string& why) {
  watches_[k].reset();
  fates_[k] = why;
  lost_.push_back({k, why});
}

// Without the mutex: a sender may wait for it with Python's lock, which ExitReason() takes.
std::string WorkerHost::WhyEnded(int k, const platform::ProcessWatch& watch) const {
  // The parent of a child of a fork server is that server, which tells Python.
  std::string how = watch.HowEnded();
  if (how.empty()) how = calls_->ExitReason(k);
  const std::string process = "its worker process " + std::to_string(watch.pid()) + " has ended";
  return how.empty() ? process : process + " " + how;
}

void WorkerHost::Seed(int32_t env, uint64_t seed) {
  memory_->At<SharedSeed>(link_->seeds)[env] = {seed, 1};
}

void WorkerHost::CloseFiles() {
  const std::lock_guard lock(mutex_);
  for (auto& watch : watches_) watch.reset();
  memory_->CloseFile();
}

void WorkerHost::Announce(int k) {
  lanes_[k].messages.fetch_add(1, std::memory_order_seq_cst);
  SharedSync::Wake(lanes_[k].bell);
}

std::vector<WorkerHost::Lost> WorkerHost::TakeLost() {
  const std::lock_guard lock(mutex_);
  return std::exchange(lost_, {});
}

}  // namespace parallel_pool
