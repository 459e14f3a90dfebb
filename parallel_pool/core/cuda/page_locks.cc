#include "parallel_pool/core/cuda/page_locks.h"

#include <stdexcept>
#include <utility>

#include "parallel_pool/core/platform/process.h"

namespace parallel_pool {
namespace {

// The pages are locked for all contexts (CU_MEMHOSTREGISTER_PORTABLE).
constexpr unsigned kPortable = 1;

// The driver; if there is none, the error names the task.
const CudaDriver& DriverFor(const std::string& task) {
  try {
    return TheCudaDriver();
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(task + ": pin_memory=True is for NVIDIA's GPUs, but " + error.what() +
                             "; install the driver, or use pin_memory=False");
  }
}

}  // namespace

CudaPageLocks::CudaPageLocks(std::string task)
    : task_(std::move(task)), driver_(DriverFor(task_)), process_(platform::ProcessId()) {
  Check(driver_.init(0), "cuInit");
  if (driver_.current_device(&device_) != 0) Check(driver_.get_device(&device_, 0), "cuDeviceGet");
  Check(driver_.retain_context(&context_, device_), "cuDevicePrimaryCtxRetain");
}

CudaPageLocks::~CudaPageLocks() {
  if (platform::ProcessId() == process_) driver_.release_context(device_);
}

void CudaPageLocks::Check(int status, const char* function) const {
  if (status == 0) return;
  throw std::runtime_error(
      task_ + ": pin_memory=True finds no NVIDIA GPU that it can use: " + function + ": " +
      CudaErrorText(driver_, status) + "; use pin_memory=False without one");
}

void CudaPageLocks::Lock(std::byte* memory, int64_t bytes) {
  const CurrentContext current(driver_, context_);
  const int status = driver_.lock_pages(memory, static_cast<size_t>(bytes), kPortable);
  if (status == 0) return;
  throw std::runtime_error(
      task_ + ": pin_memory=True cannot lock " + std::to_string(bytes) +
      " bytes of a batch: cuMemHostRegister: " + CudaErrorText(driver_, status) +
      "; raise the limit of locked memory (ulimit -l), make batches smaller, or use "
      "pin_memory=False");
}

void CudaPageLocks::Unlock(std::byte* memory) noexcept {
  if (platform::ProcessId() != process_) return;
  const CurrentContext current(driver_, context_);
  driver_.unlock_pages(memory);
}

}  // namespace parallel_pool
