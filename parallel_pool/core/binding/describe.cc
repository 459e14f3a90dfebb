#include "parallel_pool/core/binding/describe.h"

#include <pybind11/stl.h>

#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/binding/array_fields.h"
#include "parallel_pool/core/workers/runtime_setup.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

const Task& Describe(const std::string& id, const py::list& action, const py::list& state,
                     const py::list& players, const std::vector<std::string>& render_modes,
                     std::pair<int, int> picture, int render_fps, bool can_save) {
  TaskFields description{.id = id,
                         .action = ToArrays(action),
                         .state = ToArrays(state),
                         .players = {},
                         .can_save = can_save,
                         .picture = {picture.first, picture.second},
                         .render_fps = render_fps};
  for (const std::string& mode : render_modes) {
    (mode == "ansi" ? description.can_render_text : description.can_render) = true;
  }
  for (const py::handle& player : players) {
    const auto fields = py::cast<py::tuple>(player);
    description.players.push_back({.name = py::cast<std::string>(fields[0]),
                                   .role = py::cast<std::string>(fields[1]),
                                   .action = ToArrays(py::cast<py::list>(fields[2])),
                                   .state = ToArrays(py::cast<py::list>(fields[3]))});
  }
  static auto& tasks = *new std::deque<RuntimeTask>;  // a task lives as long as the process
  static std::mutex adding;                           // for Pythons without a GIL
  const std::lock_guard lock(adding);
  return tasks.emplace_back(std::move(description));
}

}  // namespace

void AddDescribe(py::module_& m) {
  m.def("describe", &Describe, py::arg("id"), py::arg("action"), py::arg("state"),
        py::arg("players"), py::arg("render_modes"), py::arg("picture"), py::arg("render_fps"),
        py::arg("can_save"), py::return_value_policy::reference);
}

}  // namespace parallel_pool
