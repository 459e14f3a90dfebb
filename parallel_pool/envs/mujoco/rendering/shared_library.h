// A shared library of the system, which may be missing.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

#include "parallel_pool/envs/mujoco/rendering/gl.h"

namespace parallel_pool::mujoco {

// Never closed: thread-local destructors of OpenGL run at the end of threads and need its code.
class SharedLibrary {
 public:
  // Opens the first of `names` that exists. Its symbols are global (RTLD_GLOBAL), because MuJoCo
  // looks for OpenGL there first. Throws GlError with the loader's reason for the first name.
  explicit SharedLibrary(std::initializer_list<const char*> names) {
    std::string reason;
    for (const char* name : names) {
      handle_ = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
      if (handle_ != nullptr) return;
      if (reason.empty()) reason = dlerror();
    }
    throw GlError(reason);
  }

  // Finds a function; throws GlError if the library does not have it.
  template <class Function>
  void Find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (function == nullptr) throw GlError(std::string("it has no ") + name);
  }

 private:
  void* handle_ = nullptr;
};

}  // namespace parallel_pool::mujoco
