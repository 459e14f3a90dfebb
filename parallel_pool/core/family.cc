#include "parallel_pool/core/family.h"

#include <dlfcn.h>

#include <stdexcept>

namespace parallel_pool {

const Family& LoadFamily(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  void* const symbol = dlsym(library, "parallel_pool_family");
  if (symbol == nullptr) {
    throw std::runtime_error(path + ": no family of envs: it does not export parallel_pool_family");
  }
  const Family& family = *reinterpret_cast<decltype(&parallel_pool_family)>(symbol)();
  if (family.abi_version != kAbiVersion) {
    throw std::runtime_error(path + ": built for version " + std::to_string(family.abi_version) +
                             " of the plugin interface; this engine has version " +
                             std::to_string(kAbiVersion) + ": build it again");
  }
  return family;
}

}  // namespace parallel_pool
