#include "parallel_pool/core/binding/xla.h"

#include "parallel_pool/core/binding/array_fields.h"
#include "parallel_pool/core/binding/pool_options.h"
#include "parallel_pool/core/binding/python_pool.h"
#include "parallel_pool/core/engine/batch_layout.h"
#include "parallel_pool/core/xla/handlers.h"
#include "parallel_pool/core/xla/xla_pool.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

// The name under which jax.ffi takes functions.
constexpr char kCapsule[] = "xla._CUSTOM_CALL_TARGET";

py::list Handlers() {
  py::list list;
  for (const XlaHandler& handler : XlaHandlers()) {
    list.append(
        py::make_tuple(handler.target, handler.platform, py::capsule(handler.function, kCapsule)));
  }
  return list;
}

py::list XlaColumns(const Setup& setup, const py::dict& config, bool with_timing) {
  const BatchLayout layout(setup, ReadPoolOptions(config));
  py::list fields;
  for (const size_t k : ShownColumns(layout.columns(), with_timing)) {
    fields.append(Fields(layout.columns()[k], ""));
  }
  return fields;
}

}  // namespace

void AddXla(py::module_& m) {
  m.def("xla_handlers", &Handlers);
  m.def("xla_open", [](PythonPool& pool) { return pool.Xla()->id(); }, py::arg("pool"));
  m.def("columns", &XlaColumns, py::arg("setup"), py::arg("config"), py::arg("with_timing"));
  m.def("xla_state", [](PythonPool& pool) { return pool.Xla()->state(); }, py::arg("pool"));
  m.def("xla_error", [](PythonPool& pool) { return pool.TakeXlaError(); }, py::arg("pool"));
}

}  // namespace parallel_pool
