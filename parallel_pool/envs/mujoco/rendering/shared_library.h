// A library that the system may have.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

#include "parallel_pool/envs/mujoco/rendering/gl.h"

namespace parallel_pool::mujoco {

// Stays open for good: what OpenGL leaves in threads must find its code when they end.
class SharedLibrary {
 public:
  // The first of `names` that there is. Its symbols become the process's, because that is where
  // MuJoCo looks for OpenGL first. GlError with the loader's reason for the first name.
  explicit SharedLibrary(std::initializer_list<const char*> names) {
    std::string reason;
    for (const char* name : names) {
      handle_ = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
      if (handle_ != nullptr) return;
      if (reason.empty()) reason = dlerror();
    }
    throw GlError(reason);
  }

  // GlError if there is no function of this name.
  template <class Function>
  void Find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (function == nullptr) throw GlError(std::string("it has no ") + name);
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace parallel_pool::mujoco
