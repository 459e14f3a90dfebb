#include "parallel_pool/core/cuda/driver.h"

#include <stdexcept>
#include <type_traits>

#include "parallel_pool/core/platform/library.h"

namespace parallel_pool {
namespace {

#ifdef _WIN32
constexpr const char* kLibrary = "nvcuda.dll";
#else
constexpr const char* kLibrary = "libcuda.so.1";
#endif

platform::Library LoadLibrary() {
  try {
    return platform::Library(kLibrary);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string("NVIDIA's driver cannot be loaded: ") + error.what());
  }
}

CudaDriver Load() {
  const platform::Library library = LoadLibrary();
  CudaDriver driver;
  const auto find = [&](const char* name, auto* function) {
    *function =
        library.Find<std::remove_pointer_t<std::remove_pointer_t<decltype(function)>>>(name);
    if (*function == nullptr) {
      throw std::runtime_error(std::string("NVIDIA's driver has no function ") + name);
    }
  };
  find("cuInit", &driver.init);
  find("cuDeviceGet", &driver.get_device);
  find("cuCtxGetDevice", &driver.current_device);
  find("cuDevicePrimaryCtxRetain", &driver.retain_context);
  find("cuDevicePrimaryCtxRelease_v2", &driver.release_context);
  find("cuGetErrorName", &driver.error_name);
  find("cuStreamGetCtx", &driver.context_of);
  find("cuCtxPushCurrent_v2", &driver.push_context);
  find("cuCtxPopCurrent_v2", &driver.pop_context);
  find("cuMemAllocHost_v2", &driver.allocate);
  find("cuMemFreeHost", &driver.free);
  find("cuMemHostRegister_v2", &driver.lock_pages);
  find("cuMemHostUnregister", &driver.unlock_pages);
  find("cuMemcpyDtoHAsync_v2", &driver.to_host);
  find("cuMemcpyHtoDAsync_v2", &driver.to_device);
  find("cuStreamSynchronize", &driver.wait_for_stream);
  find("cuEventCreate", &driver.create_event);
  find("cuEventRecord", &driver.record);
  find("cuEventQuery", &driver.query);
  find("cuEventSynchronize", &driver.wait_for_event);
  find("cuEventDestroy_v2", &driver.destroy_event);
  return driver;
}

}  // namespace

const CudaDriver& TheCudaDriver() {
  static const CudaDriver driver = Load();
  return driver;
}

std::string CudaErrorText(const CudaDriver& driver, int status) {
  const char* name = nullptr;
  const bool is_known = driver.error_name(status, &name) == 0 && name != nullptr;
  return std::string(is_known ? name : "CUDA error") + " (" + std::to_string(status) + ")";
}

}  // namespace parallel_pool
