#include "parallel_pool/core/binding/named_arrays.h"

namespace parallel_pool {

namespace py = pybind11;

namespace {
constexpr size_t kLongestPrefix = 1000;  // characters; a dict may contain itself
}

void NamedArrays::Add(const std::string& prefix, py::handle dict) {
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(dict)) {
    const std::string name = prefix + py::str(key).cast<std::string>();
    const bool nests = py::isinstance<py::dict>(value) && py::len(value) > 0;
    if (nests && prefix.size() < kLongestPrefix) {
      Add(name + ".", value);
    } else {
      items_.push_back({name, py::reinterpret_borrow<py::object>(value)});
    }
  }
}

py::object NamedArrays::Find(std::string_view name) {
  for (Item& item : items_) {
    if (item.name != name) continue;
    item.found = true;
    return item.value;
  }
  return {};
}

void NamedArrays::CheckAllFound(const std::string& task) const {
  for (const Item& item : items_) {
    if (item.found) continue;
    throw py::value_error(task + ": action has an unknown array '" + item.name + "'");
  }
}

}  // namespace parallel_pool
