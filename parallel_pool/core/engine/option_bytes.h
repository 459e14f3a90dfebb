// Values of options as bytes.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

void WriteOption(Writer& writer, const OptionValue& value);

// Options that were read; the values point into memory of this object.
class ReadOptions {
 public:
  // Reads a value of an option; false if the bytes are wrong.
  bool Read(Reader& reader, const OptionSpec& spec);
  Span<OptionValue> span() const { return Span<OptionValue>::Of(values_); }

 private:
  Span<double> ReadNumbers(Reader& reader, bool* good);

  std::vector<OptionValue> values_;
  std::deque<std::string> texts_;
  std::deque<std::vector<double>> numbers_;
  std::deque<std::vector<int32_t>> shapes_;
  std::deque<std::vector<OptionArray>> arrays_;
  std::deque<std::vector<KeyedNumbers>> keyed_;
};

}  // namespace parallel_pool
