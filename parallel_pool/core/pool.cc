#include "parallel_pool/core/pool.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "parallel_pool/core/machine.h"
#include "parallel_pool/core/save.h"

namespace parallel_pool {
namespace {

std::unique_ptr<EnvGroup> MakeGroup(const Task& task, Span<OptionValue> values, int num_envs) {
  Error error;
  std::unique_ptr<EnvGroup> group(task.MakeGroup(values, num_envs, &error));
  if (!group) throw std::invalid_argument(std::string(task.spec().id) + ": " + error.text);
  return group;
}

class StringWriter final : public Writer {
 public:
  void Write(const void* data, size_t bytes) override {
    text.append(static_cast<const char*>(data), bytes);
  }
  std::string text;
};

class StringReader final : public Reader {
 public:
  explicit StringReader(std::string_view text) : text_(text) {}
  bool Read(void* data, size_t bytes) override {
    if (bytes > text_.size()) return false;
    std::memcpy(data, text_.data(), bytes);
    text_.remove_prefix(bytes);
    return true;
  }
  size_t left() const override { return text_.size(); }

 private:
  std::string_view text_;
};

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
      num_state_columns_(group_->state_spec().size),
      cache_(std::make_shared<BatchCache>(MakeColumns())),
      envs_(options_.num_envs),
      in_flight_(options_.num_envs),
      batches_(sync() ? options_.num_envs
                      : (options_.num_envs + options_.batch_size - 1) / options_.batch_size) {
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

std::vector<Column> Pool::MakeColumns() const {
  std::vector<Column> columns;
  for (const ArraySpec& spec : group_->state_spec()) columns.emplace_back(spec);
  columns.emplace_back("reward", DType::kFloat32);
  columns.emplace_back("terminated", DType::kBool);
  columns.emplace_back("truncated", DType::kBool);
  columns.emplace_back("discount", DType::kFloat32);
  columns.emplace_back("first", DType::kBool);
  columns.emplace_back("info:env_id", DType::kInt32);
  columns.emplace_back("info:elapsed_step", DType::kInt32);
  columns.emplace_back("info:players.env_id", DType::kInt32);
  if (options_.autoreset != Autoreset::kSameStep) return columns;
  columns.emplace_back("info:_final_obs", DType::kBool);
  columns.emplace_back("info:_final_info", DType::kBool);
  columns.emplace_back("info:final_info.elapsed_step", DType::kInt32);
  for (const ArraySpec& spec : group_->state_spec()) {
    Column& column = columns.emplace_back(spec);
    // obs -> info:final_obs, obs:left -> info:final_obs.left, info:lives -> info:final_info.lives
    const size_t colon = column.name.find(':');
    column.name = "info:final_" + column.name.substr(0, colon) +
                  (colon == std::string::npos ? "" : "." + column.name.substr(colon + 1));
  }
  return columns;
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

void Pool::Claim(std::span<const int32_t> envs, bool reset) {
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
    if (options_.autoreset == Autoreset::kDisabled && !reset && envs_[env].begun &&
        envs_[env].next != Turn::kStep) {
      refuse(i, ": its episode has ended; reset it first (autoreset_mode is disabled)");
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

void Pool::SendReset(std::span<const int32_t> envs, std::span<const uint8_t> mask) {
  for (size_t i = 0; i < envs.size(); ++i) envs_[envs[i]].look = !mask[i] && envs_[envs[i]].begun;
  Send(envs, /*reset=*/true);
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

std::string Pool::Save(int32_t env) {
  StringWriter writer;
  EnvState& state = envs_[env];
  WriteAll(writer, std::tie(state.elapsed_step, state.next, state.begun));
  if (!group_->can_save() || !group_->Save(env, writer)) {
    throw std::invalid_argument(task_ + ": this task cannot save its state");
  }
  return std::move(writer.text);
}

void Pool::Load(int32_t env, const std::string& bytes) {
  StringReader reader(bytes);
  EnvState state;
  if (ReadAll(reader, std::tie(state.elapsed_step, state.next, state.begun)) &&
      group_->Load(env, reader)) {
    envs_[env] = state;
    return;
  }
  envs_[env] = {};
  throw std::invalid_argument(task_ + ": these bytes are no state of env " + std::to_string(env));
}

}  // namespace parallel_pool
