// Saved states in memory: a Writer and a Reader over bytes.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

class ByteWriter final : public Writer {
 public:
  void Write(const void* data, size_t bytes) override {
    written.append(static_cast<const char*>(data), bytes);
  }
  std::string written;
};

// Reads bytes that live longer than itself.
class ByteReader final : public Reader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  bool Read(void* data, size_t bytes) override {
    if (bytes > bytes_.size()) return false;
    std::memcpy(data, bytes_.data(), bytes);
    bytes_.remove_prefix(bytes);
    return true;
  }
  size_t left() const override { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

}  // namespace parallel_pool
