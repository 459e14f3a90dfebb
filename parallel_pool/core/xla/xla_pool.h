// A pool as compiled JAX programs call it: by a number, from any thread, without Python's lock.
//
//   handlers.cc    XLA's buffers -> XlaCall                         (knows XLA, not the engine)
//   FindXlaPool    the number in the program -> the pool, unless it was freed
//   XlaPool::Run   check the state -> check every array -> send -> receive -> copy the columns
//
// A program holds no pointer to a pool: it may run after the pool was closed or freed.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/engine/call_guard.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/xla/cuda.h"
#include "parallel_pool/core/xla/xla_array.h"

namespace parallel_pool {

enum class XlaKind { kStep, kSend, kRecv, kReset, kSendReset };

// One call. Its arguments are the state, the arrays of the action (step and send), env_id and the
// seeds. Its results are the new state, then the columns of a batch (if the call receives one).
struct XlaCall {
  XlaKind kind;
  bool is_reset() const { return kind == XlaKind::kReset || kind == XlaKind::kSendReset; }
  bool receives() const { return kind != XlaKind::kSend && kind != XlaKind::kSendReset; }
  bool counted = true;  // whether the state must be that of the last call
  bool has_env_id = false;
  bool has_seed = false;
  std::span<const XlaArray> arguments{};
  std::span<const XlaArray> results{};
  // Whether the arrays are in the memory of an NVIDIA GPU, and XLA's stream.
  bool on_gpu = false;
  void* stream = nullptr;
};

// A call that failed.
struct XlaError {
  enum Type { kValue, kRuntime, kMemory, kEnv };
  Type type;
  std::string text;
  std::vector<Failure> failures{};  // kEnv: the envs that threw
  Batch* batch = nullptr;           // kEnv: their batch, which the owner must release
};

// How a call ended: well, if the text is empty.
struct XlaStatus {
  XlaError::Type type = XlaError::kValue;
  std::string text{};
};

// Questions of a pool about the process; both are called without Python's lock.
struct XlaProcess {
  int (*fork_generation)();  // another number in a forked child
  bool (*is_interrupted)();  // whether this thread shall stop, because of Ctrl-C
};

// The columns of a batch that programs receive, as indices. Those of no name, and pickled ones,
// have no form in XLA.
std::vector<size_t> ShownColumns(const std::vector<Column>& columns, bool with_timing);

class XlaPool {
 public:
  // A state has 24 bits of the pool's number and 40 bits that count the calls.
  static constexpr int64_t kStateBytes = 8;
  static constexpr int kCountBits = 40;

  // Opens a pool for programs, which have its id() as an attribute. `pool` and `callers` must exist
  // until Close(). Results for dm_env (`with_timing`) include discount and step_type.
  static std::shared_ptr<XlaPool> Open(std::string task, Pool* pool, Callers* callers,
                                       bool with_timing, XlaProcess process);
  ~XlaPool();

  int64_t id() const { return id_; }
  // The state for the next call.
  uint64_t state() const;

  // Runs a call; calls of several threads run one after the other. An error before anything was
  // sent leaves the state as it was.
  XlaStatus Run(const XlaCall& call) noexcept;
  // The last error since the last TakeError(), if any.
  std::optional<XlaError> TakeError();

  // Waits for the call under way, which fails if it has to wait longer. Later calls fail.
  void Close();

 private:
  XlaPool(int64_t id, std::string task, Pool* pool, Callers* callers, bool with_timing,
          XlaProcess process);

  XlaStatus RunAlone(const XlaCall& call);
  XlaStatus RunOnHost(const XlaCall& call);
  XlaStatus Keep(XlaError error);
  void CheckUsable();
  void CheckInterrupt();
  void CheckForm(const XlaCall& call) const;
  void CheckState(const XlaCall& call) const;
  void CheckResults(const XlaCall& call, int64_t rows) const;
  std::span<const int32_t> ReadIds(const XlaCall& call);
  std::vector<uint64_t> ReadSeeds(const XlaArray& seeds, size_t count) const;
  void Send(const XlaCall& call);
  void Store(std::span<const XlaArray> arrays, std::span<const int32_t> ids);
  XlaStatus Receive(const XlaCall& call);
  void WriteState(const XlaCall& call) const;

  const int64_t id_;
  const std::string task_;
  std::mutex mutex_;  // of the call under way
  Pool* pool_;        // nullptr once closed
  Callers* const callers_;
  std::vector<size_t> columns_;
  const XlaProcess process_;
  const int generation_;
  std::atomic<bool> closing_{false};
  std::chrono::steady_clock::time_point next_check_{};  // of an interrupt
  std::atomic<uint64_t> count_{0};
  std::unique_ptr<CudaStaging> staging_;  // nullptr: no program on a GPU has called
  std::vector<int32_t> ids_, players_;
  std::mutex error_mutex_;
  std::optional<XlaError> error_;
};

// The pool with this number, which may be closed; nullptr if it was freed.
std::shared_ptr<XlaPool> FindXlaPool(int64_t id);

}  // namespace parallel_pool
