// NumPy's C API, shared by the files of this folder. module.cc imports it.
#pragma once

#include <pybind11/pybind11.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL parallel_pool_numpy
#ifndef PARALLEL_POOL_IMPORT_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// Takes a new reference; throws the Python exception that a null pointer stands for.
inline pybind11::object Own(PyObject* object) {
  if (object == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::object>(object);
}

inline PyArrayObject* Array(const pybind11::object& array) {
  return reinterpret_cast<PyArrayObject*>(array.ptr());
}

// NumPy's type number.
inline int NumpyType(DType dtype) {
  // In the order of DType.
  constexpr int kTypes[] = {NPY_BOOL,  NPY_INT8,  NPY_UINT8,   NPY_INT16,
                            NPY_INT32, NPY_INT64, NPY_FLOAT32, NPY_FLOAT64};
  return kTypes[static_cast<size_t>(dtype)];
}

}  // namespace parallel_pool
