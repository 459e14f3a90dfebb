#include "parallel_pool/core/numpy_io.h"

#include <algorithm>
#include <numeric>
#include <utility>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

namespace parallel_pool {
namespace {

namespace py = pybind11;

py::object Own(PyObject* object) {
  if (object == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(object);
}

PyArrayObject* Array(const py::object& array) {
  return reinterpret_cast<PyArrayObject*>(array.ptr());
}

std::string Text(const py::handle& object) {
  return py::str(object).cast<std::string>();
}

int NumpyType(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return NPY_BOOL;
    case DType::kUint8:
      return NPY_UINT8;
    case DType::kInt32:
      return NPY_INT32;
    case DType::kInt64:
      return NPY_INT64;
    case DType::kFloat32:
      return NPY_FLOAT32;
    case DType::kFloat64:
      break;
  }
  return NPY_FLOAT64;
}

// Any object as an array.
py::object AsArray(const std::string& what, py::handle object) {
  try {
    return Own(PyArray_FromAny(object.ptr(), nullptr, 0, 0, 0, nullptr));
  } catch (py::error_already_set& error) {
    throw py::value_error(what + " is no array: " + Text(error.value()));
  }
}

// A copy as C-contiguous native memory.
HeldArray Cast(const py::object& array, DType dtype) {
  py::object cast = Own(PyArray_FromArray(Array(array), PyArray_DescrFromType(NumpyType(dtype)),
                                          NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
  const void* data = PyArray_DATA(Array(cast));
  return {std::move(cast), {data, dtype}};
}

// The array as C-contiguous native memory of one of the engine's types: itself if it is that.
HeldArray Readable(const std::string& what, const py::object& array) {
  for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kFloat32, DType::kFloat64,
                            DType::kUint8, DType::kBool}) {
    if (PyArray_TYPE(Array(array)) != NumpyType(dtype)) continue;
    py::object plain =
        PyArray_ISCARRAY_RO(Array(array))
            ? array
            : Own(PyArray_FromArray(Array(array), PyArray_DescrFromType(NumpyType(dtype)),
                                    NPY_ARRAY_CARRAY_RO));
    const void* data = PyArray_DATA(Array(plain));
    return {std::move(plain), {data, dtype}};
  }
  const char kind = PyArray_DESCR(Array(array))->kind;
  if (kind != 'i' && kind != 'u' && kind != 'f') {
    throw py::type_error(what + " has dtype " + Text(array.attr("dtype")) +
                         "; allowed are integers and floating point numbers");
  }
  if (kind == 'f') return Cast(array, DType::kFloat64);
  HeldArray wide = Cast(array, DType::kInt64);
  if (kind == 'i') return wide;
  // Unsigned numbers that are negative now were too large for int64.
  const auto* numbers = static_cast<const int64_t*>(wide.input.data);
  const npy_intp count = PyArray_SIZE(Array(array));
  const bool fits = std::all_of(numbers, numbers + count, [](int64_t n) { return n >= 0; });
  return fits ? std::move(wide) : Cast(array, DType::kFloat64);
}

// The keys of "left.camera".
std::vector<py::str> SplitDots(const std::string& name) {
  std::vector<py::str> keys;
  for (size_t start = 0; start <= name.size();) {
    const size_t dot = std::min(name.find('.', start), name.size());
    PyObject* key = PyUnicode_InternFromString(name.substr(start, dot - start).c_str());
    keys.push_back(py::reinterpret_steal<py::str>(key));
    start = dot + 1;
  }
  return keys;
}

// A key that no array has would be lost silently.
void CheckKeys(const std::string& task, const py::dict& action, const std::vector<Column>& arrays) {
  for (const auto& [key, value] : action) {
    const bool known = std::any_of(arrays.begin(), arrays.end(), [&](const Column& column) {
      return SplitDots(column.name).front().equal(key);
    });
    if (!known)
      throw py::value_error(task + ": action has an unknown array " + Text(py::repr(key)));
  }
}

void CheckShape(const std::string& what, const py::object& array, const Column& column,
                size_t rows) {
  const npy_intp* dims = PyArray_DIMS(Array(array));
  bool fits = PyArray_NDIM(Array(array)) == static_cast<int>(column.shape.size()) + 1 &&
              dims[0] == static_cast<npy_intp>(rows);
  for (size_t i = 0; fits && i < column.shape.size(); ++i) fits = dims[i + 1] == column.shape[i];
  if (fits) return;
  py::tuple wanted(column.shape.size() + 1);
  wanted[0] = rows;
  for (size_t i = 0; i < column.shape.size(); ++i) wanted[i + 1] = column.shape[i];
  throw py::value_error(what + " has shape " + Text(array.attr("shape")) + "; it must be " +
                        Text(wanted) + ", one row for each env");
}

// Sets root[path[0]][path[1]]... = value, making dicts on the way.
void SetAt(py::object* root, const std::vector<py::str>& path, const py::object& value) {
  if (path.empty()) {
    *root = value;
    return;
  }
  if (!*root) *root = py::dict();
  PyObject* dict = root->ptr();
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    PyObject* next = PyDict_GetItemWithError(dict, path[i].ptr());
    if (next == nullptr) {
      const py::dict made;
      PyDict_SetItem(dict, path[i].ptr(), made.ptr());
      next = made.ptr();
    }
    dict = next;
  }
  if (PyDict_SetItem(dict, path.back().ptr(), value.ptr()) != 0) throw py::error_already_set();
}

void ReleaseBatch(PyObject* capsule) {
  static_cast<Batch*>(PyCapsule_GetPointer(capsule, nullptr))->Release();
}

}  // namespace

void ImportNumpy() {
  if (_import_array() < 0) throw py::error_already_set();
}

EnvIds::EnvIds(std::string task, int num_envs) : task_(std::move(task)), all_(num_envs) {
  std::iota(all_.begin(), all_.end(), 0);
}

std::span<const int32_t> EnvIds::Read(py::handle env_id) {
  if (env_id.is_none()) return all_;
  const py::object given = AsArray(task_ + ": env_id", env_id);
  const char kind = PyArray_DESCR(Array(given))->kind;
  if (PyArray_NDIM(Array(given)) != 1) {
    throw py::value_error(task_ + ": env_id has shape " + Text(given.attr("shape")) +
                          "; it must have one dimension, as in [0, 2]");
  }
  if (kind != 'i' && kind != 'u' && PyArray_SIZE(Array(given)) > 0) {
    throw py::type_error(task_ + ": env_id has dtype " + Text(given.attr("dtype")) +
                         "; allowed are integers");
  }
  const py::object wide = Own(PyArray_FromArray(Array(given), PyArray_DescrFromType(NPY_INT64),
                                                NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
  const auto* ids = static_cast<const int64_t*>(PyArray_DATA(Array(wide)));
  some_.resize(PyArray_SIZE(Array(wide)));
  for (size_t i = 0; i < some_.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= static_cast<int64_t>(all_.size())) {
      throw py::value_error(
          task_ + ": env_id[" + std::to_string(i) + "] = " + Text(given[py::int_(i)]) +
          ": there is no such env; allowed are 0 to " + std::to_string(all_.size() - 1));
    }
    some_[i] = static_cast<int32_t>(ids[i]);
  }
  return some_;
}

void ReadActions(const std::string& task, py::handle action, const std::vector<Column>& arrays,
                 size_t rows, std::vector<HeldArray>* out) {
  out->clear();
  const bool is_dict = py::isinstance<py::dict>(action);
  if (!is_dict && arrays.size() != 1) {
    throw py::type_error(task + ": action must be a dict, not " + Text(py::type::of(action)));
  }
  if (is_dict) CheckKeys(task, py::cast<py::dict>(action), arrays);
  for (const Column& column : arrays) {
    py::object value = py::reinterpret_borrow<py::object>(action);
    if (is_dict) {
      for (const py::str& key : SplitDots(column.name)) {
        if (!py::isinstance<py::dict>(value) || !value.contains(key)) {
          throw py::value_error(task + ": action has no array " + column.name);
        }
        value = value[key];
      }
    }
    const std::string what = task + ": " + column.name;
    const py::object array = AsArray(what, value);
    CheckShape(what, array, column, rows);
    out->push_back(Readable(what, array));
  }
}

BatchReader::BatchReader(const std::vector<Column>& columns) {
  for (const Column& column : columns) {
    Leaf leaf{Leaf::kOther, {}, NumpyType(column.dtype), {0}};
    if (column.name.starts_with("info:")) {
      leaf.part = Leaf::kInfo;
      leaf.path = SplitDots(column.name.substr(5));
    } else if (column.name.starts_with("obs:")) {
      leaf.part = Leaf::kObs;
      leaf.path = SplitDots(column.name.substr(4));
    } else if (column.name == "obs") {
      leaf.part = Leaf::kObs;
    }
    leaf.shape.insert(leaf.shape.end(), column.shape.begin(), column.shape.end());
    leaves_.push_back(std::move(leaf));
  }
}

BatchReader::Parts BatchReader::Read(Batch* batch) const {
  const py::object owner = Own(PyCapsule_New(batch, nullptr, ReleaseBatch));
  Parts parts;
  for (size_t k = 0; k < leaves_.size(); ++k) {
    const Leaf& leaf = leaves_[k];
    npy_intp dims[NPY_MAXDIMS];
    std::copy(leaf.shape.begin(), leaf.shape.end(), dims);
    dims[0] = batch->rows();
    const py::object array = Own(PyArray_NewFromDescr(
        &PyArray_Type, PyArray_DescrFromType(leaf.type), static_cast<int>(leaf.shape.size()), dims,
        nullptr, batch->columns()[k], NPY_ARRAY_CARRAY, nullptr));
    PyArray_SetBaseObject(Array(array), owner.inc_ref().ptr());
    if (leaf.part == Leaf::kOther) {
      parts.others.push_back(array);
    } else {
      SetAt(leaf.part == Leaf::kObs ? &parts.obs : &parts.info, leaf.path, array);
    }
  }
  return parts;
}

}  // namespace parallel_pool
