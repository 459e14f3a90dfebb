#include "parallel_pool/core/engine/family.h"

#include <dlfcn.h>

#include <stdexcept>

namespace parallel_pool {

const Family& LoadFamily(const std::string& path, const Host& host) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  void* const symbol = dlsym(library, "parallel_pool_family");
  if (symbol == nullptr) {
    dlclose(library);  // so that a corrected file can be loaded later
    throw std::runtime_error(path + ": no family of envs: it does not export parallel_pool_family");
  }
  const Family& family = *reinterpret_cast<decltype(&parallel_pool_family)>(symbol)();
  if (const int32_t version = family.abi_version; version != kAbiVersion) {
    dlclose(library);
    throw std::runtime_error(path + ": built for version " + std::to_string(version) +
                             " of the plugin interface; this engine has version " +
                             std::to_string(kAbiVersion) + ": build it again");
  }
  family.set_host(host);
  return family;
}

}  // namespace parallel_pool
