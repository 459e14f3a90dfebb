#include "parallel_pool/core/engine/family.h"

#include <stdexcept>

#include "parallel_pool/core/platform/library.h"

namespace parallel_pool {

const Family& LoadFamily(const std::string& path, const Host& host) {
  platform::Library library(path);
  const auto find = library.Find<decltype(parallel_pool_family)>("parallel_pool_family");
  if (find == nullptr) {
    library.Unload();  // so that a corrected file can be loaded later
    throw std::runtime_error(path + ": no family of envs: it does not export parallel_pool_family");
  }
  const Family& family = *find();
  if (const int32_t version = family.abi_version; version != kAbiVersion) {
    library.Unload();
    throw std::runtime_error(path + ": built for version " + std::to_string(version) +
                             " of the plugin interface; this engine has version " +
                             std::to_string(kAbiVersion) + ": build it again");
  }
  family.set_host(host);
  return family;
}

}  // namespace parallel_pool
