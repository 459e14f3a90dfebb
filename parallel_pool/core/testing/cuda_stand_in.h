// The stand-in for NVIDIA's driver (cuda_stand_in.cc), for tests.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace parallel_pool::testing {

// Loads the stand-in, whose name (soname) is that of the driver: so the code under test finds it.
class StandIn {
 public:
  StandIn() : library_(dlopen("parallel_pool/core/testing/libcuda_stand_in.so", RTLD_NOW)) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    Log();  // forgets what other tests have called
  }
  // The first fault, or "".
  std::string Fault() { return Find<const char*()>("StandInFault")(); }
  // The calls since the last call of Log().
  std::string Log() { return Find<const char*()>("StandInLog")(); }
  // Memory, events and contexts that were not given back.
  int Left() { return Find<int()>("StandInLeft")(); }
  // The `call`th call of a function of the driver from now on returns `status`.
  void Fail(const char* function, int call, int status) {
    Find<void(const char*, int, int)>("StandInFail")(function, call, status);
  }
  bool IsLocked(const void* memory, size_t bytes) {
    return Find<bool(const void*, size_t)>("StandInIsLocked")(memory, bytes);
  }
  // The device whose context threads have; -1: none. And the device of the last context.
  void SetDevice(int device) { Find<void(int)>("StandInSetDevice")(device); }
  int Device() { return Find<int()>("StandInDevice")(); }
  // As at the end of a process: all functions fail. False: they work again, and nothing is left.
  void ShutDown(bool value) { Find<void(bool)>("StandInShutDown")(value); }
  void Synchronize() { Find<int(void*)>("cuStreamSynchronize")(nullptr); }

 private:
  template <class F>
  F* Find(const char* name) {
    return reinterpret_cast<F*>(dlsym(library_, name));
  }

  void* const library_;
};

}  // namespace parallel_pool::testing
