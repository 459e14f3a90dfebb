#include "parallel_pool/core/workers/processes.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "parallel_pool/core/engine/homes.h"
#include "parallel_pool/core/env_slots.h"
#include "parallel_pool/core/machine/limits.h"

namespace parallel_pool {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// The longest sleep of the receiver, after which it looks whether the workers live.
constexpr milliseconds kSlice{20};
// The longest spin of the receiver. A wake-up by another process costs more than one by a thread.
constexpr std::chrono::microseconds kSpin{200};

// Zeroed elements in shared memory.
template <class T>
T* MakeArray(SharedMemory& memory, int64_t count) {
  return std::launder(
      reinterpret_cast<T*>(memory.Allocate(count * static_cast<int64_t>(sizeof(T)))));
}

// Stands for envs in other processes. Only envs of a dead worker are stepped here: they fail.
class RemoteGroup final : public EnvGroup {
 public:
  RemoteGroup(SharedMemory& memory, int num_envs, EnvCalls& calls)
      : seeds_(MakeArray<SharedSeed>(memory, num_envs)),
        errors_(MakeArray<char>(memory, num_envs * sizeof(Error::text))),
        calls_(calls) {}

  SharedSeed* seeds() const { return seeds_; }
  char* errors() const { return errors_; }

  bool Create(int32_t env, uint64_t seed, const Setup*, Error*) noexcept override {
    Seed(env, seed);
    return true;
  }
  bool Rebuild(int32_t, const Setup*, Error* error) noexcept override {
    internal::Write(error, "the options of a Python env cannot change");
    return false;
  }
  void Seed(int32_t env, uint64_t seed) noexcept override { seeds_[env] = {seed, 1}; }
  bool SetResetOptions(int32_t env, Span<OptionValue> values, Error* error) noexcept override {
    return internal::Guard(error, [&] { calls_.SetResetOptions(env, values[0].text); });
  }
  void Step(const int32_t*, const Turn*, int32_t count, std::byte* const*,
            Result* results) noexcept override {
    std::fill_n(results, count, Result{.outcome = {}, .new_world = false, .failed = true});
  }
  void Observe(const int32_t*, int32_t, std::byte* const*, int64_t, Result*) noexcept override {}
  const char* Failure(int32_t env) const override { return errors_ + env * sizeof(Error::text); }
  bool Save(int32_t env, Writer& writer, Error* error) noexcept override {
    return internal::Guard(error, [&] {
      const std::string state = calls_.Save(env);
      writer.Write(&seeds_[env], sizeof(SharedSeed));  // of a reset that is still to come
      writer.Write(state.data(), state.size());
    });
  }
  bool Load(int32_t env, Reader& reader, Error* error) noexcept override {
    return internal::Guard(error, [&] {
      SharedSeed seed{};
      if (!reader.Read(&seed, sizeof seed)) throw std::invalid_argument("the state is too short");
      std::string state(reader.left(), '\0');
      reader.Read(state.data(), state.size());
      calls_.Load(env, state);
      seeds_[env] = seed;
    });
  }
  bool Render(int32_t env, uint8_t* rgb, Error* error) noexcept override {
    return internal::Guard(error, [&] { calls_.Render(env, rgb); });
  }
  bool RenderText(int32_t env, Writer& text, Error* error) noexcept override {
    return internal::Guard(error, [&] {
      const std::string all = calls_.RenderText(env);
      text.Write(all.data(), all.size());
    });
  }

 private:
  SharedSeed* const seeds_;
  char* const errors_;
  EnvCalls& calls_;
};

}  // namespace

class ProcessDispatcher final : public Dispatcher, private RowTaker {
 public:
  ProcessDispatcher(Processes& processes, const PoolParts& parts)
      : processes_(processes),
        parts_(parts),
        link_(*processes.link_),
        lanes_(processes.lanes_),
        owners_(processes.memory_->At<std::atomic<uint64_t>>(link_.owners)),
        sync_(parts.options.batch_size == parts.options.num_envs),
        collected_(processes.num_workers_),
        progress_(processes.num_workers_),
        since_(processes.num_workers_),
        runner_(parts.options, parts.layout, *this, 1,
                {.group = &parts.group,
                 .actions = parts.actions.rows(),
                 .states = parts.states,
                 .episodes = parts.episodes}) {
    for (int k = 0; k < processes.num_workers_; ++k) {
      worker_of_.resize(lanes_[k].first_env + lanes_[k].num_envs, k);
    }
  }
  ~ProcessDispatcher() override { Stop(); }

  void Add(uint64_t number, const Batch& batch) override;
  void Send(std::span<const int32_t> envs, uint32_t batch, bool reset) override;
  bool Await(Batch& batch, nanoseconds limit) override;
  // Steps in other processes always let the caller release its lock.
  int64_t EstimateNs(int64_t) const override { return INT64_MAX; }
  void Stop() override;

 private:
  uint64_t Take(int) override { return row_; }
  BatchRows& At(uint64_t number) override { return parts_.batches.At(number); }
  void Finish(BatchRows& batch, int count) override { parts_.batches.Finish(batch, count); }
  void Fail(BatchRows& batch, int row) override { parts_.batches.Fail(batch, row); }

  Ticket& TicketAt(int worker, uint64_t position) {
    const Lane& lane = lanes_[worker];
    return processes_.memory_->At<Ticket>(lane.tickets)[position & lane.mask];
  }
  void Publish(int worker);
  void Collect();
  void CollectFrom(int worker);
  bool MaySpin() const;
  void Sleep(const Batch& batch, nanoseconds limit);
  void CheckWorkers();
  bool HasEnded(int k, std::string* why);
  void FailRest(int worker);
  uint64_t RowFor(int worker);

  Processes& processes_;
  const PoolParts parts_;
  Link& link_;
  Lane* const lanes_;
  std::atomic<uint64_t>* const owners_;
  const bool sync_;
  std::vector<int> worker_of_;       // of each env
  std::vector<uint64_t> collected_;  // tickets of each worker
  uint64_t all_collected_ = 0;
  // What each worker has done, tickets and messages, and since when no check has seen more of it;
  // or since it got a ticket after none.
  std::vector<uint64_t> progress_;
  std::vector<Clock::time_point> since_;
  Clock::time_point checked_{};  // when the workers were last checked
  uint64_t row_ = 0;             // what Take returns
  SpinBackoff backoff_;
  Runner runner_;
};

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
    Lane& lane = lanes_[worker];
    TicketAt(worker, lane.next++) = {
        .env = envs[i], .count = 1, .row = static_cast<int32_t>(i), .batch = batch, .reset = reset};
  }
  for (int worker = 0; worker < link_.num_workers; ++worker) Publish(worker);
}

void ProcessDispatcher::Publish(int worker) {
  Lane& lane = lanes_[worker];
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
  const Lane& lane = lanes_[worker];
  const uint64_t done = lane.done.load(std::memory_order_acquire);
  uint64_t& next = collected_[worker];
  const auto* const records = processes_.memory_->At<Record>(lane.records);
  for (; next < done; ++next, ++all_collected_) {
    const Ticket ticket = TicketAt(worker, next);
    const Record record = records[next & lane.mask];
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
    if (!HasEnded(k, &why)) continue;
    // Without the mutex: a sender may wait for it with Python's lock, which Fate() takes.
    if (why.empty()) why = processes_.WhyEnded(k);
    const std::lock_guard lock(processes_.mutex_);
    processes_.Lose(k, why);
    FailRest(k);
  }
}

// Whether a worker has died just now. Ends one that takes too long, and says so in `why`.
bool ProcessDispatcher::HasEnded(int k, std::string* why) {
  const std::lock_guard lock(processes_.mutex_);
  const int fd = processes_.process_fds_[k];
  const Lane& lane = lanes_[k];
  const bool is_busy = lane.sent.load() != lane.done.load();
  if (fd < 0) {  // it has died before, and tickets came
    if (is_busy) FailRest(k);
    return false;
  }
  const nanoseconds limit = processes_.step_timeout_;
  const uint64_t progress = lane.done.load() + lane.answered.load();
  if (std::exchange(progress_[k], progress) != progress) since_[k] = checked_;
  if (limit.count() > 0 && is_busy && checked_ - since_[k] > limit) {
    kill(processes_.process_ids_[k], SIGKILL);
    char text[64];
    std::snprintf(text, sizeof text, "it did not answer within step_timeout = %g s",
                  static_cast<double>(limit.count()) / 1e9);
    *why = text;
  }
  pollfd poll_fd{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&poll_fd, 1, why->empty() ? 0 : 1000) > 0;
}

// Does the tickets of a dead worker: their rows fail.
void ProcessDispatcher::FailRest(int worker) {
  CollectFrom(worker);
  Lane& lane = lanes_[worker];
  for (uint64_t next = collected_[worker]; next < lane.sent.load(); ++next) {
    const Ticket ticket = TicketAt(worker, next);
    std::snprintf(processes_.memory_->At<char>(link_.errors) + ticket.env * sizeof(Error::text),
                  sizeof(Error::text), "%s", processes_.fates_[worker].c_str());
    if (!sync_) row_ = RowFor(worker);
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

void ProcessDispatcher::Stop() {
  link_.stop.store(1, std::memory_order_seq_cst);
  for (int k = 0; k < link_.num_workers; ++k) SharedSync::Wake(lanes_[k].bell);
}

Processes::Processes(int num_envs, int num_workers, nanoseconds step_timeout,
                     std::shared_ptr<EnvCalls> calls)
    : num_envs_(num_envs),
      num_workers_(num_workers),
      step_timeout_(step_timeout),
      calls_(std::move(calls)),
      memory_(std::make_shared<SharedMemory>()),
      link_(MakeArray<Link>(*memory_, 1)),
      process_fds_(num_workers, -1),
      process_ids_(num_workers),
      fates_(num_workers) {
  lanes_ = MakeArray<Lane>(*memory_, num_workers);
  for (int k = 0; k < num_workers; ++k) {
    Lane& lane = lanes_[k];
    lane.first_env = FirstEnv(k, num_envs, num_workers);
    lane.num_envs = FirstEnv(k + 1, num_envs, num_workers) - lane.first_env;
    // An env has at most one ticket that is not collected.
    const auto room = static_cast<int64_t>(std::bit_ceil(static_cast<uint32_t>(lane.num_envs)));
    lane.mask = static_cast<uint64_t>(room) - 1;
    lane.tickets = memory_->OffsetOf(MakeArray<Ticket>(*memory_, room));
    lane.records = memory_->OffsetOf(MakeArray<Record>(*memory_, room));
  }
  link_->num_workers = num_workers;
  link_->usable_threads = UsableThreads();
  link_->lanes = memory_->OffsetOf(lanes_);
  link_->wake_at.store(kNever);
}

Processes::~Processes() {
  for (const int fd : process_fds_) {
    if (fd >= 0) close(fd);
  }
}

std::unique_ptr<EnvGroup> Processes::MakeGroup() {
  auto group = std::make_unique<RemoteGroup>(*memory_, num_envs_, *calls_);
  link_->seeds = memory_->OffsetOf(group->seeds());
  link_->errors = memory_->OffsetOf(group->errors());
  return group;
}

std::unique_ptr<Dispatcher> Processes::Start(const PoolParts& parts) {
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
  link_->batches = memory_->OffsetOf(MakeArray<SharedBatch>(*memory_, link_->num_batches));
  link_->num_owners = parts.batches.size() * static_cast<uint64_t>(parts.options.batch_size);
  link_->owners = memory_->OffsetOf(
      MakeArray<std::atomic<uint64_t>>(*memory_, static_cast<int64_t>(link_->num_owners)));
  return std::make_unique<ProcessDispatcher>(*this, parts);
}

void Processes::SetProcess(int k, pid_t pid) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0 && errno != ESRCH) {
    throw std::runtime_error("worker process " + std::to_string(pid) + ": " + std::strerror(errno));
  }
  {
    const std::lock_guard lock(mutex_);
    process_fds_[k] = fd;
    process_ids_[k] = pid;
    lanes_[k].answered.store(lanes_[k].messages.load());
  }
  if (fd >= 0) return;
  const std::string why = WhyEnded(k);  // it has ended already
  const std::lock_guard lock(mutex_);
  Lose(k, why);
}

void Processes::Lose(int k, const std::string& why) {
  if (process_fds_[k] >= 0) close(std::exchange(process_fds_[k], -1));
  fates_[k] = why;
  lost_.push_back({k, why});
}

// The caller does not hold mutex_; nobody else writes to what it reads of a worker that has ended.
std::string Processes::WhyEnded(int k) const {
  std::string why = "its worker process " + std::to_string(process_ids_[k]) + " has ended";
  siginfo_t info{};
  // A child of this process; one of a fork server has told that server.
  if (waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(process_fds_[k]), &info,
             WEXITED | WNOHANG | WNOWAIT) == 0 &&
      info.si_pid != 0) {
    return why + (info.si_code == CLD_EXITED
                      ? " with exit code " + std::to_string(info.si_status)
                      : std::string(" by signal ") + strsignal(info.si_status));
  }
  const std::string fate = calls_->Fate(k);
  return fate.empty() ? why : why + " " + fate;
}

void Processes::Seed(int32_t env, uint64_t seed) {
  memory_->At<SharedSeed>(link_->seeds)[env] = {seed, 1};
}

void Processes::CloseFiles() {
  const std::lock_guard lock(mutex_);
  for (int& fd : process_fds_) {
    if (fd >= 0) close(std::exchange(fd, -1));
  }
  memory_->CloseFile();
}

void Processes::Announce(int k) {
  lanes_[k].messages.fetch_add(1, std::memory_order_seq_cst);
  SharedSync::Wake(lanes_[k].bell);
}

std::vector<Processes::Lost> Processes::TakeLost() {
  const std::lock_guard lock(mutex_);
  return std::exchange(lost_, {});
}

}  // namespace parallel_pool
