// Checks of calls to envs that other programs run, as integrations/ray makes them.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/binding/call_arguments.h"
#include "parallel_pool/core/binding/numpy_io.h"
#include "parallel_pool/core/engine/claims.h"
#include "parallel_pool/core/engine/pool_options.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// Checks env ids and actions with the errors of PythonPool, and keeps the actions until they are
// sent. The caller holds the GIL; one thread at a time.
class RemoteEnvs {
 public:
  RemoteEnvs(const Setup& setup, const PoolOptions& options);

  // The env ids of a call, which are in flight from now on: an array of int32. Send keeps the rows
  // of `action`.
  pybind11::object Send(pybind11::handle action, pybind11::handle env_id);
  pybind11::object SendReset(pybind11::handle env_id);
  // The env ids of a call of idle envs.
  pybind11::object Idle(pybind11::handle env_id);
  // The action of some envs, as PythonPool::Send takes it: an array, or a dict of arrays.
  pybind11::object ActionOf(const std::vector<int32_t>& envs) const;
  // Whether the rows in flight fill a batch.
  bool FillsBatch() const { return pending_rows_ >= (is_sync() ? 1 : batch_size_); }
  // Before a recv(): its timeout in seconds, or nothing; a RuntimeError unless the rows in flight
  // fill a batch; with `partial`, unless there is none.
  std::optional<double> CheckRecv(pybind11::handle timeout, bool partial) const;
  int64_t pending_rows() const { return pending_rows_; }
  // Whether the episode of each env has ended.
  std::vector<bool> ended() const;
  // Raises the error of a recv() that has waited so long.
  [[noreturn]] void TimeOut(double seconds) const { parallel_pool::TimeOut(task_, seconds); }
  // Rows were received: the envs are idle. `running`: whether the episode of each goes on.
  // `players`: of each; empty if no array is per player.
  void Receive(const std::vector<int32_t>& envs, const std::vector<bool>& running,
               const std::vector<int32_t>& players);
  // The envs were put into episodes that go on.
  void Begin(const std::vector<int32_t>& envs);

 private:
  bool is_sync() const { return batch_size_ == num_envs_; }
  void Claim(std::span<const int32_t> envs, bool reset);
  std::vector<int32_t> PlayersOf(std::span<const int32_t> envs) const;

  const std::string task_;
  const int num_envs_, batch_size_;
  const bool autoreset_;
  EnvIds ids_;
  Claims claims_;
  ActionStore actions_;
  std::vector<bool> begun_, running_;  // of each env
  std::vector<int32_t> players_;       // of each env; empty if no array is per player
  int64_t pending_rows_ = 0;
};

}  // namespace parallel_pool
