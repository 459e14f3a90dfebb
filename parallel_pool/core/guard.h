// Exceptions of envs as Errors, which may cross from a family's library to the engine.
#pragma once

#include <cstdio>
#include <exception>
#include <new>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool::internal {

inline constexpr char kOutOfMemory[] = "there is not enough memory";

inline void Write(Error* error, const char* text) {
  std::snprintf(error->text, sizeof(error->text), "%s", text);
}

// Called inside a catch block: stores the message of the exception.
[[gnu::cold, gnu::noinline]] inline void StoreException(Error* error) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    Write(error, kOutOfMemory);
    error->out_of_memory = true;
  } catch (const std::exception& e) {
    Write(error, e.what());
  } catch (...) {
    Write(error, "an exception that is no std::exception");
  }
}

// Runs `body`; false with its message in `error` if it throws.
template <class Body>
bool Guard(Error* error, const Body& body) noexcept {
  try {
    body();
    return true;
  } catch (...) {
    StoreException(error);
    return false;
  }
}

}  // namespace parallel_pool::internal
