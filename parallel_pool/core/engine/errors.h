// Exceptions that the engine throws where a family reports an Error (plugin.h).
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// A std::bad_alloc with a message.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// Throws OutOfMemory or std::invalid_argument with `what` and the error's message.
[[noreturn]] inline void Throw(const std::string& what, const Error& error) {
  if (error.out_of_memory) throw OutOfMemory(what + ": " + error.text);
  throw std::invalid_argument(what + ": " + error.text);
}

}  // namespace parallel_pool
