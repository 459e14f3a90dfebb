#include "parallel_pool/core/pool.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <new>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "parallel_pool/core/machine.h"

namespace parallel_pool {
namespace {

std::unique_ptr<EnvGroup> MakeGroup(const Task& task, Span<OptionValue> values, int num_envs) {
  Error error;
  std::unique_ptr<EnvGroup> group(task.MakeGroup(values, num_envs, &error));
  if (!group) throw std::invalid_argument(std::string(task.spec().id) + ": " + error.text);
  return group;
}

class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

std::vector<int> WorkerCpus(int offset) {
  if (offset < 0) return {};
  std::vector<int> cpus = UsableCpus();
  std::rotate(cpus.begin(), cpus.begin() + offset % cpus.size(), cpus.end());
  return cpus;
}

}  // namespace

void CheckMemory(const Task& task, Span<OptionValue> values, int num_envs) {
  constexpr int64_t kLeastEnvBytes = 128;
  const auto group = MakeGroup(task, values, 0);
  int64_t row_bytes = 0;
  for (const auto& specs : {group->action_spec(), group->state_spec()}) {
    for (const ArraySpec& spec : specs) row_bytes += Column(spec).row_bytes();
  }
  const double wanted = static_cast<double>(num_envs) * (kLeastEnvBytes + 2.0 * row_bytes);
  const auto usable = static_cast<double>(UsableMemory());
  if (wanted < usable) return;
  std::ostringstream text;
  text << task.spec().id << ": " << num_envs << " envs need at least " << std::ceil(wanted / 1e9)
       << " GB of memory; there are " << std::floor(usable / 1e9) << " GB";
  throw OutOfMemory(text.str());
}

Pool::Pool(const Task& task, Span<OptionValue> values, PoolOptions options)
    : task_(task.spec().id),
      options_(std::move(options)),
      group_(MakeGroup(task, values, options_.num_envs)),
      actions_(task_, group_->action_spec(), options_.num_envs),
      envs_(options_.num_envs),
      in_flight_(options_.num_envs),
      batches_(sync() ? options_.num_envs
                      : (options_.num_envs + options_.batch_size - 1) / options_.batch_size + 1) {
  std::vector<Column> columns;
  for (const ArraySpec& spec : group_->state_spec()) {
    const std::string& name = columns.emplace_back(spec).name;
    if (name != "obs" && !name.starts_with("obs:") && !name.starts_with("info:")) {
      throw std::invalid_argument(task_ + ": array '" + name +
                                  "' must be named obs, obs:... or info:...");
    }
  }
  num_state_columns_ = columns.size();
  columns.emplace_back("reward", DType::kFloat32);
  columns.emplace_back("terminated", DType::kBool);
  columns.emplace_back("truncated", DType::kBool);
  columns.emplace_back("discount", DType::kFloat32);
  columns.emplace_back("first", DType::kBool);
  columns.emplace_back("info:env_id", DType::kInt32);
  columns.emplace_back("info:elapsed_step", DType::kInt32);
  columns.emplace_back("info:players.env_id", DType::kInt32);
  cache_ = std::make_shared<BatchCache>(std::move(columns));
  CreateEnvs();
  if (!sync()) {
    for (size_t i = 0; i < batches_.slots.size(); ++i) {
      batches_[i] = cache_->Take(options_.batch_size, i * options_.batch_size);
    }
  }
  const int workers = options_.num_threads - (sync() ? 1 : 0);
  scheduler_ =
      std::make_unique<Scheduler>(static_cast<ChunkRunner&>(*this), options_.num_envs, workers,
                                  sync(), WorkerCpus(options_.thread_affinity_offset));
}

void Pool::CreateEnvs() {
  std::atomic<int> next{0};
  std::mutex mutex;
  std::string failure;
  const auto create = [&] {
    for (int env; (env = next.fetch_add(1)) < options_.num_envs;) {
      Error error;
      if (group_->Create(env, options_.seeds[env], &error)) continue;
      const std::lock_guard lock(mutex);
      failure = task_ + " env " + std::to_string(env) + ": " + error.text;
      next = options_.num_envs;
    }
  };
  std::vector<std::jthread> helpers(std::min(options_.num_threads, options_.num_envs) - 1);
  for (std::jthread& helper : helpers) helper = std::jthread(create);
  create();
  helpers.clear();  // joins
  if (!failure.empty()) throw std::invalid_argument(failure);
}

void Pool::Claim(std::span<const int32_t> envs) {
  const auto refuse = [&](size_t i, const std::string& why) {
    Unclaim(envs.first(i));
    throw std::invalid_argument(task_ + ": env_id[" + std::to_string(i) +
                                "] = " + std::to_string(envs[i]) + why);
  };
  if (envs.empty()) throw std::invalid_argument(task_ + ": env_id is empty: name at least one env");
  for (size_t i = 0; i < envs.size(); ++i) {
    const int32_t env = envs[i];
    if (env < 0 || env >= options_.num_envs) {
      refuse(i,
             ": there is no such env; allowed are 0 to " + std::to_string(options_.num_envs - 1));
    }
    if (in_flight_[env]) {
      const auto before = envs.first(i);
      const bool twice = std::find(before.begin(), before.end(), env) != before.end();
      refuse(i, twice ? " occurs twice: send an env one action at a time"
                      : " is in flight: recv() its result first");
    }
    in_flight_[env] = 1;
  }
}

void Pool::Unclaim(std::span<const int32_t> envs) {
  for (const int32_t env : envs) in_flight_[env] = 0;
}

void Pool::Send(std::span<const int32_t> envs, bool reset) {
  TicketQueue& queue = scheduler_->queue();
  if (sync()) {
    batches_[batches_sent_] = cache_->Take(static_cast<int>(envs.size()), queue.tail());
  }
  Ticket ticket{.env = 0,
                .batch = static_cast<uint32_t>(batches_sent_ % batches_.slots.size()),
                .reset = reset};
  for (size_t i = 0; i < envs.size(); ++i) {
    ticket.env = envs[i];
    queue.Put(static_cast<int64_t>(i), ticket);
  }
  ++batches_sent_;
  pending_rows_ += static_cast<int64_t>(envs.size());
  scheduler_->Send(static_cast<int64_t>(envs.size()));
}

void Pool::CheckPending(int more) const {
  const int64_t rows = pending_rows_ + more;
  if (rows >= (sync() ? 1 : options_.batch_size)) return;
  throw std::runtime_error(task_ + ": recv() would wait for ever: " + std::to_string(rows) +
                           " of the " +
                           std::to_string(sync() ? options_.num_envs : options_.batch_size) +
                           " rows of a batch are in flight; send() or async_reset() first");
}

Batch* Pool::Recv(std::chrono::nanoseconds limit) {
  const auto deadline = Clock::now() + limit;
  std::atomic<Batch*>& slot = batches_[batches_received_];
  Batch* const batch = slot.load(std::memory_order_acquire);
  while (!batch->ready()) {
    if (sync() && scheduler_->RunOne()) {
      if (!batch->ready() && Clock::now() >= deadline) return nullptr;
    } else if (!Spin(*batch) && !batch->Wait(deadline - Clock::now())) {
      return nullptr;
    }
  }
  const uint64_t later = batches_received_++ + batches_.slots.size();
  slot.store(sync() ? nullptr : cache_->Take(options_.batch_size, later * options_.batch_size),
             std::memory_order_release);
  return batch;
}

bool Pool::Spin(const Batch& batch) const {
  if (scheduler_->spin_ns() == 0) return false;
  const auto end = Clock::now() + std::chrono::nanoseconds(scheduler_->spin_ns());
  while (!batch.ready() && Clock::now() < end) Pause();
  return batch.ready();
}

void Pool::Accept(const Batch& batch) {
  const auto* ids = batch.column<int32_t>(engine_column(kEnvId));
  for (int row = 0; row < batch.rows(); ++row) in_flight_[ids[row]] = 0;
  pending_rows_ -= batch.rows();
}

bool Pool::BusyFor(std::chrono::nanoseconds time) const {
  return !sync() || scheduler_->EstimateNs(scheduler_->queue().waiting()) > time.count();
}

void Pool::Close() {
  if (scheduler_) scheduler_->Stop();
  group_.reset();
}

void Pool::Run(const Ticket* tickets, int count, uint64_t position) noexcept {
  // Initialised once a thread, not once a chunk.
  static thread_local int32_t envs[kMaxChunk];
  static thread_local Turn turns[kMaxChunk];
  static thread_local Result results[kMaxChunk];
  for (int i = 0; i < count; ++i) {
    envs[i] = tickets[i].env;
    turns[i] = tickets[i].reset ? Turn::kReset : envs_[envs[i]].next;
  }
  group_->Step(envs, turns, count, actions_.rows(), results);
  // Rows are taken when the envs are done: first finished, first received.
  const uint64_t row = sync() ? position : rows_taken_.fetch_add(count, std::memory_order_acq_rel);
  for (int i = 0; i < count;) {
    const uint64_t number =
        sync() ? tickets[i].batch : (row + i) / static_cast<uint64_t>(options_.batch_size);
    Batch& batch = *batches_[number].load(std::memory_order_acquire);
    const int first = static_cast<int>(row + i - batch.first_row());
    const int n = std::min(count - i, batch.rows() - first);
    WriteRows(batch, first, envs + i, turns + i, results + i, n);
    batch.Finish(n);
    i += n;
  }
}

void Pool::WriteRows(Batch& batch, int first, const int32_t* envs, const Turn* turns,
                     Result* results, int count) {
  group_->Observe(envs, count, batch.columns(), first, results);
  auto* reward = batch.column<float>(engine_column(kReward)) + first;
  auto* terminated = batch.column<bool>(engine_column(kTerminated)) + first;
  auto* truncated = batch.column<bool>(engine_column(kTruncated)) + first;
  auto* discount = batch.column<float>(engine_column(kDiscount)) + first;
  auto* begins = batch.column<bool>(engine_column(kFirst)) + first;
  auto* env_id = batch.column<int32_t>(engine_column(kEnvId)) + first;
  auto* elapsed_step = batch.column<int32_t>(engine_column(kElapsedStep)) + first;
  auto* player_env_id = batch.column<int32_t>(engine_column(kPlayerEnvId)) + first;
  for (int i = 0; i < count; ++i) {
    const Outcome& outcome = results[i].outcome;
    EnvState& env = envs_[envs[i]];
    const bool step = turns[i] == Turn::kStep;
    if (step) {
      ++env.elapsed_step;
    } else if (results[i].new_world) {
      env.elapsed_step = 0;
    }
    reward[i] = static_cast<float>(outcome.reward);
    terminated[i] = outcome.terminated;
    truncated[i] = step && env.elapsed_step >= options_.max_episode_steps;
    discount[i] = outcome.terminated ? 0.0f : outcome.discount;
    begins[i] = !step;
    env_id[i] = envs[i];
    elapsed_step[i] = env.elapsed_step;
    player_env_id[i] = envs[i];
    if (results[i].failed) {
      FailRow(batch, first + i, envs[i]);
      truncated[i] = true;  // nothing more comes of this episode
    }
    env.next = truncated[i] ? Turn::kReset : terminated[i] ? Turn::kContinue : Turn::kStep;
  }
}

void Pool::FailRow(Batch& batch, int row, int32_t env) {
  for (size_t k = 0; k < num_state_columns_; ++k) {
    const int64_t bytes = columns()[k].row_bytes();
    std::memset(batch.columns()[k] + row * bytes, 0, bytes);
  }
  batch.Fail({env, row, envs_[env].elapsed_step, group_->Failure(env)});
}

}  // namespace parallel_pool
