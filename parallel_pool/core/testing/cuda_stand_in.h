// The stand-in for NVIDIA's driver (cuda_stand_in.cc), for tests.
#pragma once

#include <dlfcn.h>

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
  // What was called since the last call of Log().
  std::string Log() { return Find<const char*()>("StandInLog")(); }
  // Memory, events and contexts that were not given back.
  int Left() { return Find<int()>("StandInLeft")(); }
  void Synchronize() { Find<int(void*)>("cuStreamSynchronize")(nullptr); }

 private:
  template <class F>
  F* Find(const char* name) {
    return reinterpret_cast<F*>(dlsym(library_, name));
  }

  void* const library_;
};

}  // namespace parallel_pool::testing
