#include "parallel_pool/core/binding/numpy_arithmetic.h"

#include <pybind11/pybind11.h>

#include <array>
#include <stdexcept>
#include <string>

#include "parallel_pool/core/binding/numpy_api.h"

#define NO_IMPORT_UFUNC
#include <numpy/ufuncobject.h>

namespace parallel_pool {
namespace {

namespace py = pybind11;

// The inner loop of a ufunc over float64.
struct Loop {
  PyUFuncGenericFunction function = nullptr;
  void* data = nullptr;
};

Loop LoopOf(const py::module_& numpy, const char* name) {
  const py::object object = numpy.attr(name);
  const auto* const ufunc = reinterpret_cast<const PyUFuncObject*>(object.ptr());
  for (int i = 0; i < ufunc->ntypes; ++i) {
    const char* const types = ufunc->types + i * ufunc->nargs;
    bool is_double = true;
    for (int k = 0; k < ufunc->nargs; ++k) is_double &= types[k] == NPY_DOUBLE;
    // NumPy's ufuncs live as long as the process.
    if (is_double) return {ufunc->functions[i], ufunc->data == nullptr ? nullptr : ufunc->data[i]};
  }
  throw std::runtime_error(std::string("numpy.") + name + " has no loop over float64");
}

enum Name { kExp, kLog, kLog1p, kArcsinh, kTanh, kArccos, kArctan2, kMatmul, kNumNames };

std::array<Loop, kNumNames> loops;

template <Name name, class... In>
double CallLoop(In... in) {
  double out = 0;
  char* arrays[] = {reinterpret_cast<char*>(&in)..., reinterpret_cast<char*>(&out)};
  const npy_intp length = 1;
  npy_intp strides[sizeof...(In) + 1];
  for (npy_intp& stride : strides) stride = sizeof(double);
  loops[name].function(arrays, &length, strides, loops[name].data);
  return out;
}

// The loop of numpy.matmul takes stacks of matrices: here one of (m, n) and (n, 1). Behind the
// sizes and strides of the stacks are those of the matrices.
void Matmul(const double* a, const double* x, int32_t m, int32_t n, double* out) {
  void* arrays[] = {const_cast<double*>(a), const_cast<double*>(x), out};
  const npy_intp sizes[] = {1, m, n, 1};
  const npy_intp item = sizeof(double), row = n * item;
  const npy_intp strides[] = {0, 0, 0, row, item, item, item, item, item};
  loops[kMatmul].function(reinterpret_cast<char**>(arrays), sizes, strides, loops[kMatmul].data);
}

// Whether numpy.dot of rows that begin with `x` and of `y` rounds -1 + (1 + e) * (1 - e) once: the
// result is -e^2, and 0 if the product is rounded before.
bool Fuses(const py::module_& numpy, const py::object& x, const py::object& y) {
  const py::object product = numpy.attr("dot")(x, y);
  return py::cast<bool>(numpy.attr("any")(product));
}

Arithmetic Make() {
  const py::module_ numpy = py::module_::import("numpy");
  loops = {LoopOf(numpy, "exp"),     LoopOf(numpy, "log"),   LoopOf(numpy, "log1p"),
           LoopOf(numpy, "arcsinh"), LoopOf(numpy, "tanh"),  LoopOf(numpy, "arccos"),
           LoopOf(numpy, "arctan2"), LoopOf(numpy, "matmul")};
  const auto row = [](double a, double b) { return py::make_tuple(a, b, 0.0); };
  const py::tuple zeros = row(0, 0);
  const double e = 0x1p-30;
  return {
      .exp = CallLoop<kExp, double>,
      .log = CallLoop<kLog, double>,
      .log1p = CallLoop<kLog1p, double>,
      .arcsinh = CallLoop<kArcsinh, double>,
      .tanh = CallLoop<kTanh, double>,
      .arccos = CallLoop<kArccos, double>,
      .arctan2 = CallLoop<kArctan2, double, double>,
      .matmul = Matmul,
      .fuses_dot = Fuses(numpy, row(-1, 1 + e), row(1, 1 - e)),
      .fuses_matmul = Fuses(numpy, py::make_tuple(row(-1, 1 + e), zeros, zeros),
                            py::make_tuple(row(1, 0), row(1 - e, 0), zeros)),
  };
}

}  // namespace

const Arithmetic& InstalledArithmetic() {
  static const Arithmetic arithmetic = Make();
  return arithmetic;
}

}  // namespace parallel_pool
