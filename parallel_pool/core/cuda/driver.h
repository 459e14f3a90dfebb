// NVIDIA's driver, libcuda.so.1 or nvcuda.dll, which is opened when it is needed: nothing of CUDA
// is linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace parallel_pool {

// The functions of the driver. Each returns 0 if it succeeds.
struct CudaDriver {
  using Stream = void*;
  using Event = void*;

  int (*init)(unsigned flags);
  int (*get_device)(int* device, int number);
  int (*current_device)(int* device);  // of this thread's context; an error if it has none
  int (*retain_context)(void** context, int device);
  int (*release_context)(int device);
  int (*error_name)(int status, const char** name);
  int (*context_of)(Stream stream, void** context);
  int (*push_context)(void* context);
  int (*pop_context)(void** context);
  int (*allocate)(void** memory, size_t bytes);  // page-locked memory
  int (*free)(void* memory);
  int (*lock_pages)(void* memory, size_t bytes, unsigned flags);
  int (*unlock_pages)(void* memory);
  int (*to_host)(void* to, uint64_t from, size_t bytes, Stream stream);
  int (*to_device)(uint64_t to, const void* from, size_t bytes, Stream stream);
  int (*wait_for_stream)(Stream stream);
  int (*create_event)(Event* event, unsigned flags);
  int (*record)(Event event, Stream stream);
  int (*query)(Event event);
  int (*wait_for_event)(Event event);
  int (*destroy_event)(Event event);
};

// The driver of this machine, which is loaded at the first call. Throws std::runtime_error if there
// is none.
const CudaDriver& TheCudaDriver();

// An error of the driver in words: "CUDA_ERROR_NO_DEVICE (100)".
std::string CudaErrorText(const CudaDriver& driver, int status);

// Makes a context current in this thread, until destroyed: memory and events belong to one.
class CurrentContext {
 public:
  CurrentContext(const CudaDriver& driver, void* context)
      : driver_(driver), pushed_(driver.push_context(context) == 0) {}
  ~CurrentContext() {
    void* popped = nullptr;
    if (pushed_) driver_.pop_context(&popped);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const CudaDriver& driver_;
  const bool pushed_;
};

}  // namespace parallel_pool
