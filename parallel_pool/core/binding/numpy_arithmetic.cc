#include "parallel_pool/core/binding/numpy_arithmetic.h"

#include <pybind11/pybind11.h>

#include <array>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

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

Loop LoopOf(const py::module_& module, const char* name) {
  const py::object object = module.attr(name);
  const auto* const ufunc = reinterpret_cast<const PyUFuncObject*>(object.ptr());
  for (int i = 0; i < ufunc->ntypes; ++i) {
    const char* const types = ufunc->types + i * ufunc->nargs;
    bool is_double = true;
    for (int k = 0; k < ufunc->nargs; ++k) is_double &= types[k] == NPY_DOUBLE;
    // NumPy's ufuncs live as long as the process.
    if (is_double) return {ufunc->functions[i], ufunc->data == nullptr ? nullptr : ufunc->data[i]};
  }
  throw std::runtime_error(std::string("NumPy's ") + name + " has no loop over float64");
}

// In the order of kNames in Make().
enum Name {
  kExp,
  kLog,
  kLog1p,
  kArcsinh,
  kTanh,
  kSin,
  kCos,
  kTan,
  kArcsin,
  kArccos,
  kArctan,
  kArctan2,
  kPower,
  kMatmul,
  kSolve,
  kNumNames
};

std::array<Loop, kNumNames> loops;

char* BytesOf(const double* numbers) {
  return reinterpret_cast<char*>(const_cast<double*>(numbers));
}

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

constexpr npy_intp kItem = sizeof(double);

// A matrix in memory.
struct Matrix {
  const double* numbers;
  npy_intp rows, columns;
  npy_intp row_bytes, column_bytes;  // from one row, or column, to the next

  Matrix(const double* numbers_, npy_intp rows_, npy_intp columns_)
      : numbers(numbers_),
        rows(rows_),
        columns(columns_),
        row_bytes(columns * kItem),
        column_bytes(kItem) {}
  Matrix Transposed() const {
    Matrix other = *this;
    std::swap(other.rows, other.columns);
    std::swap(other.row_bytes, other.column_bytes);
    return other;
  }
};

// The loop of numpy.matmul takes stacks of matrices, here of one each. Behind the sizes and strides
// of the stacks are those of the matrices.
void Multiply(const Matrix& a, const Matrix& b, double* out) {
  char* arrays[] = {BytesOf(a.numbers), BytesOf(b.numbers), BytesOf(out)};
  const npy_intp sizes[] = {1, a.rows, a.columns, b.columns};
  const npy_intp strides[] = {
      0, 0, 0, a.row_bytes, a.column_bytes, b.row_bytes, b.column_bytes, b.columns * kItem, kItem};
  loops[kMatmul].function(arrays, sizes, strides, loops[kMatmul].data);
}

void Matmul(const double* a, const double* x, int32_t m, int32_t n, double* out) {
  Multiply({a, m, n}, {x, n, 1}, out);
}

void MatmulTransposed(const double* a, const double* x, int32_t m, int32_t n, double* out) {
  Multiply(Matrix(a, m, n).Transposed(), {x, m, 1}, out);
}

// NumPy multiplies a matrix by its own transpose, of the same memory, by a function of its own.
void Gram(const double* a, int32_t m, int32_t n, double* out) {
  const Matrix matrix(a, m, n);
  Multiply(matrix, matrix.Transposed(), out);
}

void Solve(const double* a, const double* b, int32_t n, double* out) {
  char* arrays[] = {BytesOf(a), BytesOf(b), BytesOf(out)};
  const npy_intp sizes[] = {1, n}, strides[] = {0, 0, 0, n * kItem, kItem, kItem, kItem};
  loops[kSolve].function(arrays, sizes, strides, loops[kSolve].data);
}

// Whether numpy.dot of rows that begin with `x` and of `y` rounds -1 + (1 + e) * (1 - e) once: the
// result is -e^2, and 0 if the product is rounded before.
bool Fuses(const py::module_& numpy, const py::object& x, const py::object& y) {
  const py::object product = numpy.attr("dot")(x, y);
  return py::cast<bool>(numpy.attr("any")(product));
}

Arithmetic Make() {
  const py::module_ numpy = py::module_::import("numpy");
  const py::module_ linear = py::module_::import("numpy.linalg._umath_linalg");
  constexpr const char* kNames[] = {"exp",    "log",     "log1p", "arcsinh", "tanh",
                                    "sin",    "cos",     "tan",   "arcsin",  "arccos",
                                    "arctan", "arctan2", "power", "matmul"};
  static_assert(std::size(kNames) == kSolve);
  for (size_t i = 0; i < std::size(kNames); ++i) loops[i] = LoopOf(numpy, kNames[i]);
  loops[kSolve] = LoopOf(linear, "solve1");
  const auto row = [](double a, double b) { return py::make_tuple(a, b, 0.0); };
  const py::tuple zeros = row(0, 0);
  const double e = 0x1p-30;
  return {
      .exp = CallLoop<kExp, double>,
      .log = CallLoop<kLog, double>,
      .log1p = CallLoop<kLog1p, double>,
      .arcsinh = CallLoop<kArcsinh, double>,
      .tanh = CallLoop<kTanh, double>,
      .sin = CallLoop<kSin, double>,
      .cos = CallLoop<kCos, double>,
      .tan = CallLoop<kTan, double>,
      .arcsin = CallLoop<kArcsin, double>,
      .arccos = CallLoop<kArccos, double>,
      .arctan = CallLoop<kArctan, double>,
      .arctan2 = CallLoop<kArctan2, double, double>,
      .power = CallLoop<kPower, double, double>,
      .matmul = Matmul,
      .matmul_transposed = MatmulTransposed,
      .gram = Gram,
      .solve = Solve,
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
