#include "parallel_pool/core/binding/host.h"

#include <pybind11/pybind11.h>

#include <string>

#include "parallel_pool/core/binding/numpy_arithmetic.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

// Host::find_package
bool FindPackage(const char* name, Writer& folder) {
  const py::gil_scoped_acquire gil;
  try {
    const py::object spec = py::module_::import("importlib.util").attr("find_spec")(name);
    if (spec.is_none() || spec.attr("origin").is_none()) return false;
    const py::object path = py::module_::import("os.path").attr("dirname")(spec.attr("origin"));
    const auto text = path.cast<std::string>();
    folder.Write(text.data(), text.size());
    return true;
  } catch (const py::error_already_set&) {
    return false;  // a finder of the user's threw, or the package has no spec
  }
}

}  // namespace

const Host& PythonHost() {
  static const Host host = {.arithmetic = InstalledArithmetic(), .find_package = &FindPackage};
  return host;
}

}  // namespace parallel_pool
