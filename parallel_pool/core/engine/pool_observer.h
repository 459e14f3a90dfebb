// Is told the calls of a pool, each at its place among the others.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "parallel_pool/core/engine/batch.h"
#include "parallel_pool/core/engine/pool_options.h"

namespace parallel_pool {

// Functions of Pool. It is told a send before the envs run, and the others when they are done. None
// throws: a call must not fail because it is watched.
class PoolObserver {
 public:
  virtual ~PoolObserver() = default;

  virtual void Send(std::span<const int32_t> envs, bool reset) noexcept = 0;
  virtual void SendReset(std::span<const int32_t> envs, std::span<const uint8_t> mask) noexcept = 0;
  // `builds_now`: of PrepareNow. After a refused reset, of what the env has instead.
  virtual void Prepare(int32_t env, const PreparedReset& next, bool builds_now) noexcept = 0;
  virtual void Load(int32_t env, const std::string& state) noexcept = 0;
  // The statistics of transforms were set.
  virtual void LoadStatistics() noexcept = 0;
  virtual void Accept(const Batch& batch) noexcept = 0;
};

// Sees nothing.
class NoObserver final : public PoolObserver {
 public:
  void Send(std::span<const int32_t>, bool) noexcept override {}
  void SendReset(std::span<const int32_t>, std::span<const uint8_t>) noexcept override {}
  void Prepare(int32_t, const PreparedReset&, bool) noexcept override {}
  void Load(int32_t, const std::string&) noexcept override {}
  void LoadStatistics() noexcept override {}
  void Accept(const Batch&) noexcept override {}
};

}  // namespace parallel_pool
