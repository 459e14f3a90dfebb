#include "parallel_pool/core/binding/call_arguments.h"

#include <algorithm>
#include <cmath>

namespace parallel_pool {

namespace py = pybind11;

py::object EnvIdOf(const std::string& task, NamedArrays* named, py::handle env_id) {
  py::object in_action = named->Find("env_id");
  if (!in_action) return py::reinterpret_borrow<py::object>(env_id);
  if (!env_id.is_none() &&
      !py::cast<bool>(py::module_::import("numpy").attr("array_equal")(in_action, env_id))) {
    throw py::value_error(task + ": env_id differs from the action's own \"env_id\": give one");
  }
  return in_action;
}

std::optional<double> ReadTimeout(const std::string& task, py::handle timeout) {
  if (timeout.is_none()) return std::nullopt;
  const double seconds = PyFloat_AsDouble(timeout.ptr());
  if ((seconds == -1 && PyErr_Occurred() != nullptr) || PyBool_Check(timeout.ptr())) {
    PyErr_Clear();
    throw py::type_error(task + ": timeout must be a number of seconds or None, not " +
                         py::cast<std::string>(py::repr(timeout)));
  }
  if (std::isnan(seconds)) throw py::value_error(task + ": timeout is nan; it must be a number");
  return seconds;
}

void TimeOut(const std::string& task, double seconds) {
  PyErr_SetString(PyExc_TimeoutError,
                  (task + ": no batch within " + std::to_string(seconds) + " s").c_str());
  throw py::error_already_set();
}

std::string NameIdleEnvs(std::span<const int32_t> idle) {
  constexpr size_t kShown = 8;
  std::string text = "; env_id is not given, which means all envs: give info[\"env_id\"] of recv()";
  if (idle.empty()) return text + "; no env is idle now";
  text += "; idle are [";
  for (size_t i = 0; i < std::min(idle.size(), kShown); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(idle[i]);
  }
  return text + (idle.size() > kShown ? ", ...]" : "]");
}

}  // namespace parallel_pool
