// Memory that an NVIDIA GPU copies by itself, while the processor goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "parallel_pool/core/cuda/driver.h"
#include "parallel_pool/core/engine/pool_memory.h"

namespace parallel_pool {

// Locks pages for all GPUs. It uses the primary context, as PyTorch and JAX do: that of the device
// which is current in the thread that makes it, or else that of the first device.
class CudaPageLocks final : public PageLocks {
 public:
  // `task` is for errors. Throws std::runtime_error if there is no driver or no device.
  explicit CudaPageLocks(std::string task);
  ~CudaPageLocks() override;
  CudaPageLocks(const CudaPageLocks&) = delete;
  CudaPageLocks& operator=(const CudaPageLocks&) = delete;

  void Lock(std::byte* memory, int64_t bytes) override;
  // Does nothing in a forked child, where CUDA must not be called: the locks are the parent's. The
  // driver's errors are ignored, because at the end of a process it may have shut down already.
  void Unlock(std::byte* memory) noexcept override;

 private:
  void Check(int status, const char* function) const;

  const std::string task_;
  const CudaDriver& driver_;
  const int process_;
  int device_ = 0;
  void* context_ = nullptr;
};

}  // namespace parallel_pool
