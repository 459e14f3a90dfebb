#include "parallel_pool/core/xla/xla_pool.h"

#include <chrono>
#include <cstring>
#include <new>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace parallel_pool {
namespace {

// The longest delay of Close() and of Ctrl-C while a program waits for envs.
constexpr auto kWaitSlice = std::chrono::milliseconds(50);

struct XlaPools {
  std::mutex mutex;
  std::unordered_map<int64_t, std::weak_ptr<XlaPool>> open;  // by their id
  int64_t next_id = 1;
};

// Never destroyed: programs may run while the process exits.
XlaPools& ThePools() {
  static auto* pools = new XlaPools;
  return *pools;
}

}  // namespace

std::vector<size_t> ShownColumns(const std::vector<Column>& columns, bool with_timing) {
  std::vector<size_t> shown;
  for (size_t k = 0; k < columns.size(); ++k) {
    const std::string& name = columns[k].name;
    if (name.empty() || columns[k].is_pickled()) continue;
    if (!with_timing && (name == "discount" || name == "step_type")) continue;
    shown.push_back(k);
  }
  return shown;
}

std::shared_ptr<XlaPool> FindXlaPool(int64_t id) {
  XlaPools& pools = ThePools();
  const std::lock_guard lock(pools.mutex);
  const auto found = pools.open.find(id);
  return found == pools.open.end() ? nullptr : found->second.lock();
}

std::shared_ptr<XlaPool> XlaPool::Open(std::string task, Pool* pool, Callers* callers,
                                       bool with_timing, XlaProcess process) {
  XlaPools& pools = ThePools();
  const std::lock_guard lock(pools.mutex);
  const int64_t id = pools.next_id++;
  std::shared_ptr<XlaPool> opened(
      new XlaPool(id, std::move(task), pool, callers, with_timing, process));
  pools.open.emplace(id, opened);
  return opened;
}

XlaPool::XlaPool(int64_t id, std::string task, Pool* pool, Callers* callers, bool with_timing,
                 XlaProcess process)
    : id_(id),
      task_(std::move(task)),
      pool_(pool),
      callers_(callers),
      columns_(ShownColumns(pool->columns(), with_timing)),
      process_(process),
      generation_(process.fork_generation()) {}

XlaPool::~XlaPool() {
  {
    XlaPools& pools = ThePools();
    const std::lock_guard lock(pools.mutex);
    pools.open.erase(id_);
  }
  if (error_ && error_->batch != nullptr) error_->batch->Release();
}

uint64_t XlaPool::state() const {
  return static_cast<uint64_t>(id_) << kCountBits | (count_ & ((uint64_t{1} << kCountBits) - 1));
}

void XlaPool::Close() {
  closing_ = true;
  const std::lock_guard lock(mutex_);
  pool_ = nullptr;
}

std::optional<XlaError> XlaPool::TakeError() {
  const std::lock_guard lock(error_mutex_);
  return std::exchange(error_, std::nullopt);
}

// Keeps the error for TakeError().
XlaStatus XlaPool::Keep(XlaError error) {
  XlaStatus status{error.type, error.text};
  const std::lock_guard lock(error_mutex_);
  if (error_ && error_->batch != nullptr) error_->batch->Release();
  error_ = std::move(error);
  return status;
}

XlaStatus XlaPool::Run(const XlaCall& call) noexcept try {
  const std::lock_guard lock(mutex_);
  try {
    return RunAlone(call);
  } catch (const std::invalid_argument& error) {
    return Keep({XlaError::kValue, error.what()});
  } catch (const std::bad_alloc& error) {
    return Keep({XlaError::kMemory, task_ + ": " + error.what()});
  } catch (const std::exception& error) {
    return Keep({XlaError::kRuntime, error.what()});
  }
} catch (...) {
  return {XlaError::kMemory, "out of memory"};  // so short that it needs none
}

XlaStatus XlaPool::RunAlone(const XlaCall& call) {
  CheckUsable();
  if (!call.on_gpu) return RunOnHost(call);
  if (!staging_) staging_ = std::make_unique<CudaStaging>();
  XlaCall on_host = call;
  on_host.arguments = staging_->Fetch(call.arguments, call.stream);
  on_host.results = staging_->Results(call.results, call.stream);
  XlaStatus status = RunOnHost(on_host);
  if (status.text.empty()) staging_->Return(call.results, call.stream);
  return status;
}

XlaStatus XlaPool::RunOnHost(const XlaCall& call) {
  // A call of a program may send and receive, so it keeps NumPy's calls out of both parts.
  const CallGuard sender(&callers_->sending, task_, kSending);
  const CallGuard receiver(&callers_->receiving, task_, kReceiving);
  CheckForm(call);
  CheckState(call);
  if (call.kind == XlaKind::kRecv) {
    pool_->CheckPending(0);
    CheckResults(call, pool_->NextRows());
  } else {
    Send(call);
    ++count_;
  }
  XlaStatus status;
  if (call.receives()) status = Receive(call);
  if (status.text.empty()) WriteState(call);
  return status;
}

void XlaPool::CheckUsable() {
  if (generation_ != process_.fork_generation()) throw std::runtime_error(task_ + kBeforeFork);
  if (pool_ == nullptr) throw std::runtime_error(task_ + kClosed);
  CheckInterrupt();
}

// JAX runs small programs in the caller's thread, where Python sees no signal until they end.
void XlaPool::CheckInterrupt() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_check_) return;
  next_check_ = now + kWaitSlice;
  if (process_.is_interrupted()) throw std::runtime_error(task_ + ": interrupted by Ctrl-C");
}

void XlaPool::Send(const XlaCall& call) {
  const auto ids = ReadIds(call);
  const bool is_reset = call.is_reset();
  const auto rows = static_cast<int>(ids.size());
  std::vector<uint64_t> seeds;
  if (call.has_seed) seeds = ReadSeeds(call.arguments.back(), ids.size());
  pool_->Claim(ids, is_reset);
  try {
    if (call.receives()) {
      pool_->CheckPending(rows);
      const int waiting = pool_->NextRows();
      // The batch that is received may be of an earlier send.
      CheckResults(call, waiting > 0 ? waiting : rows);
    }
    if (!is_reset) Store(call.arguments.subspan(1), ids);
    for (size_t i = 0; i < seeds.size(); ++i) pool_->PrepareNow(ids[i], {.seed = seeds[i]});
    pool_->Send(ids, is_reset);
  } catch (...) {
    pool_->Unclaim(ids);
    throw;
  }
}

void XlaPool::Store(std::span<const XlaArray> arrays, std::span<const int32_t> ids) {
  players_.clear();
  if (pool_->layout().most_players() > 0) {
    for (const int32_t env : ids) players_.push_back(pool_->players(env));
  }
  ActionStore& actions = pool_->actions();
  const auto rows = static_cast<int64_t>(ids.size());
  for (size_t k = 0; k < actions.arrays().size(); ++k) {
    const Column& column = actions.arrays()[k];
    CheckArray(task_ + ": " + column.name, arrays[k], column, rows);
    actions.Store(k, {arrays[k].data, arrays[k].dtype}, ids, players_);
  }
}

XlaStatus XlaPool::Receive(const XlaCall& call) {
  Batch* batch = nullptr;
  while ((batch = pool_->Recv(kWaitSlice)) == nullptr) {
    if (closing_) throw std::runtime_error(task_ + ": the pool was closed during a call");
    CheckInterrupt();
  }
  if (call.kind == XlaKind::kRecv) ++count_;
  struct Releaser {
    Batch* batch;
    ~Releaser() {
      if (batch != nullptr) batch->Release();
    }
  } owner{batch};
  // Accept also if there is no memory for the messages.
  struct Accepter {
    Pool* pool;
    Batch* batch;
    ~Accepter() { pool->Accept(*batch); }
  };
  std::vector<Failure> failures;
  {
    const Accepter accepter{pool_, batch};
    failures = pool_->Failures(*batch);
  }
  if (!failures.empty()) {
    std::string text = pool_->TextOf(failures);
    XlaError error{XlaError::kEnv, std::move(text), std::move(failures), batch};
    owner.batch = nullptr;
    return Keep(std::move(error));
  }
  const BatchLayout& layout = pool_->layout();
  std::span<const int32_t> players;
  if (layout.most_players() > 0) {
    players = {batch->column<int32_t>(layout.players_column()), static_cast<size_t>(batch->rows())};
  }
  for (size_t i = 0; i < columns_.size(); ++i) {
    const size_t k = columns_[i];
    CopyColumn(task_, *batch, k, layout.columns()[k], players, call.results[i + 1]);
  }
  return {};
}

void XlaPool::WriteState(const XlaCall& call) const {
  const uint64_t next = state();
  std::memcpy(call.results.front().data, &next, kStateBytes);
}

}  // namespace parallel_pool
