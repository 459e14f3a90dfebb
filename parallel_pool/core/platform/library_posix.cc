#include <dlfcn.h>

#include <stdexcept>

#include "parallel_pool/core/platform/library.h"

namespace parallel_pool::platform {

Library::Library(const std::string& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw std::runtime_error(dlerror());
}

void* Library::FindAddress(const char* name) const {
  return dlsym(handle_, name);
}

void Library::Unload() {
  dlclose(handle_);
}

std::string PlainName(const std::string& file) {
  return file;
}

std::string FileOf(const void* function) {
  Dl_info info{};
  return dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

}  // namespace parallel_pool::platform
