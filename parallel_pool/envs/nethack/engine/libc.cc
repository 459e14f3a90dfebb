#include "parallel_pool/envs/nethack/engine/libc.h"

#include <ctype.h>
#include <regex.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "parallel_pool/envs/nethack/engine/imports.h"

namespace parallel_pool::nethack {
namespace {

// Functions of the C library that know nothing but their arguments.
Imports PassedImports() {
#define PASS(name) \
  { #name, reinterpret_cast<const void*>(&::name) }
  return {
      PASS(__ctype_b_loc),
      PASS(__errno_location),
      PASS(stdin),
      PASS(stdout),
      PASS(stderr),
      PASS(getrlimit),
      PASS(qsort),
      PASS(regerror),
      PASS(regexec),
      PASS(snprintf),
      PASS(sprintf),
      PASS(sscanf),
      PASS(stpcpy),
      PASS(strcat),
      PASS(strcmp),
      PASS(strcpy),
      PASS(strerror),
      PASS(strlen),
      PASS(strncat),
      PASS(strncmp),
      PASS(strncpy),
      PASS(strnlen),
      PASS(strtol),
      PASS(sysconf),
      PASS(vsnprintf),

      PASS(memmove),

      // These have two forms in C++.
      {"strchr", Address(static_cast<char* (*)(char*, int)>(std::strchr))},
      {"strrchr", Address(static_cast<char* (*)(char*, int)>(std::strrchr))},
      {"strstr", Address(static_cast<char* (*)(char*, const char*)>(std::strstr))},
  };
#undef PASS
}

}  // namespace

const void* FindImport(const std::string& name, bool is_weak) {
  static const Imports kAll[] = {MemoryImports(), FileImports(),   StreamImports(),
                                 SystemImports(), StringImports(), PassedImports()};
  for (const Imports& imports : kAll) {
    const auto found = imports.find(name);
    if (found != imports.end()) return found->second;
  }
  if (is_weak) return nullptr;
  throw std::invalid_argument("it imports " + name);
}

}  // namespace parallel_pool::nethack
