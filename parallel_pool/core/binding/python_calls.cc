#include "parallel_pool/core/binding/python_calls.h"

#include <cstring>
#include <stdexcept>

namespace parallel_pool {
namespace {

namespace py = pybind11;

// The result of `body`, which calls Python, as T.
template <class T, class Body>
T CallPython(const Body& body) {
  const py::gil_scoped_acquire gil;
  try {
    return py::cast<T>(body());
  } catch (py::error_already_set& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();  // for the caller
    const auto text = py::cast<std::string>(py::str(error.value()));
    if (error.matches(PyExc_ValueError)) throw std::invalid_argument(text);
    throw std::runtime_error(text);
  }
}

}  // namespace

PythonCalls::~PythonCalls() {
  const py::gil_scoped_acquire gil;
  calls_.release().dec_ref();
}

void PythonCalls::SetResetOptions(int32_t env, const std::string& options) {
  CallPython<py::object>([&] { return calls_.attr("set_reset_options")(env, py::bytes(options)); });
}

std::string PythonCalls::Save(int32_t env) {
  return CallPython<std::string>([&] { return calls_.attr("save")(env); });
}

void PythonCalls::Load(int32_t env, const std::string& state) {
  CallPython<py::object>([&] { return calls_.attr("load")(env, py::bytes(state)); });
}

void PythonCalls::Render(int32_t env, uint8_t* rgb) {
  const auto picture = CallPython<std::string>([&] { return calls_.attr("render")(env); });
  std::memcpy(rgb, picture.data(), picture.size());
}

std::string PythonCalls::RenderText(int32_t env) {
  return CallPython<std::string>([&] { return calls_.attr("render_text")(env); });
}

std::string PythonCalls::ExitReason(int k) {
  return CallPython<std::string>([&] { return calls_.attr("exit_reason")(k); });
}

}  // namespace parallel_pool
