// The functions that XLA calls for the calls of a program, by XLA's typed FFI.
#pragma once

#include <span>

namespace parallel_pool {

struct XlaHandler {
  const char* target;    // the name in programs, "parallel_pool.step"
  const char* platform;  // XLA's name of the devices: "cpu" or "CUDA"
  void* function;        // an XLA_FFI_Handler
};

// The handlers of this library, which jax.ffi.register_ffi_target() takes.
std::span<const XlaHandler> XlaHandlers();

}  // namespace parallel_pool
