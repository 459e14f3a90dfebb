// The arrays of an action dict, by name.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>
#include <vector>

namespace parallel_pool {

// The entries of a dict: {"left": {"arm": x}} and {"left.arm": x} both contain x as "left.arm".
class NamedArrays {
 public:
  // Empty if `action` is no dict.
  explicit NamedArrays(pybind11::handle action) {
    if (pybind11::isinstance<pybind11::dict>(action)) Add("", action);
  }

  // The value with this name; null if there is none.
  pybind11::object Find(std::string_view name);
  // ValueError that names an entry that was not read: it would be lost silently.
  void CheckAllFound(const std::string& task) const;

 private:
  struct Item {
    std::string name;
    pybind11::object value;
    bool found = false;
  };

  void Add(const std::string& prefix, pybind11::handle dict);

  std::vector<Item> items_;
};

}  // namespace parallel_pool
