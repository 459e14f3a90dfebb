#include "parallel_pool/core/binding/xla.h"

#include <memory>

#include "parallel_pool/core/binding/array_fields.h"
#include "parallel_pool/core/binding/python_pool.h"
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

py::tuple Open(PythonPool& pool) {
  const std::shared_ptr<XlaPool>& xla = pool.Xla();
  py::list columns;
  for (const size_t k : xla->columns()) columns.append(Fields(pool.columns()[k], ""));
  return py::make_tuple(xla->id(), columns);
}

}  // namespace

void AddXla(py::module_& m) {
  m.def("xla_handlers", &Handlers);
  m.def("xla_open", &Open, py::arg("pool"));
  m.def("xla_state", [](PythonPool& pool) { return pool.Xla()->state(); }, py::arg("pool"));
  m.def("xla_error", [](PythonPool& pool) { return pool.TakeXlaError(); }, py::arg("pool"));
}

}  // namespace parallel_pool
