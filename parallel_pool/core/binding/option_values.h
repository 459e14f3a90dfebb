// The options of a task as Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include <deque>
#include <string>
#include <vector>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// The name of a type of option, as in parallel_pool.python.options.option: "bool", "range", ...
const char* NameOf(OptionType type);

// The value as a Python object.
pybind11::object ToPython(const OptionValue& value);

// One value for each option of a task. The values point into memory of this object.
class OptionValues {
 public:
  // `given`: one object for each of `options`, of its type, or None for its default. An empty list
  // is allowed if `options` is empty.
  OptionValues(Span<OptionSpec> options, const pybind11::list& given);
  OptionValues(const OptionValues&) = delete;
  OptionValues& operator=(const OptionValues&) = delete;

  Span<OptionValue> span() const { return Span<OptionValue>::Of(values_); }

  // The memory that the values point to; never moved.
  struct Memory {
    std::deque<std::string> texts;
    std::deque<std::vector<double>> numbers;
    std::deque<std::vector<int32_t>> shapes;
    std::deque<std::vector<OptionArray>> arrays;
    std::deque<std::vector<KeyedNumbers>> keyed;
  };

 private:
  Memory memory_;
  std::vector<OptionValue> values_;
};

}  // namespace parallel_pool
