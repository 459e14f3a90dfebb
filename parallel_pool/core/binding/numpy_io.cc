#include "parallel_pool/core/binding/numpy_io.h"

#include <algorithm>
#include <cstring>
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
  // In the order of DType.
  constexpr int kTypes[] = {NPY_BOOL,  NPY_INT8,    NPY_UINT8,  NPY_INT32,
                            NPY_INT64, NPY_FLOAT32, NPY_FLOAT64};
  return kTypes[static_cast<size_t>(dtype)];
}

// Converts any object to an array; ValueError if NumPy cannot.
py::object AsArray(const std::string& what, py::handle object) {
  if (PyArray_CheckExact(object.ptr())) return py::reinterpret_borrow<py::object>(object);
  try {
    return Own(PyArray_FromAny(object.ptr(), nullptr, 0, 0, 0, nullptr));
  } catch (py::error_already_set& error) {
    throw py::value_error(what + " is no array: " + Text(error.value()));
  }
}

// Copies an array to C-contiguous memory in native byte order.
HeldArray Cast(const py::object& array, DType dtype) {
  py::object cast = Own(PyArray_FromArray(Array(array), PyArray_DescrFromType(NumpyType(dtype)),
                                          NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
  const void* data = PyArray_DATA(Array(cast));
  return {std::move(cast), {data, dtype}};
}

// The array in C-contiguous memory, native byte order and one of the engine's types; itself if it
// already is, else a copy.
HeldArray Readable(const std::string& what, const py::object& array) {
  for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kFloat32, DType::kFloat64,
                            DType::kInt8, DType::kUint8, DType::kBool}) {
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
  // Unsigned numbers that are negative after the cast were too large for int64.
  const auto* numbers = static_cast<const int64_t*>(wide.input.data);
  const npy_intp count = PyArray_SIZE(Array(array));
  const bool fits = std::all_of(numbers, numbers + count, [](int64_t n) { return n >= 0; });
  return fits ? std::move(wide) : Cast(array, DType::kFloat64);
}

// The keys of a nested name: "left" and "camera" of "left.camera".
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

bool HasShape(const py::object& array, const std::vector<int32_t>& shape) {
  const npy_intp* dims = PyArray_DIMS(Array(array));
  return PyArray_NDIM(Array(array)) == static_cast<int>(shape.size()) &&
         std::equal(shape.begin(), shape.end(), dims);
}

// A user of batched spaces has sampled this action.
constexpr char kSpacesOfOne[] =
    "; a pool's spaces are those of one env (gymnasium.make_vec() makes pools with batched spaces)";

void CheckShape(const std::string& what, const py::object& array, const Column& column,
                const ActionRows& wanted_rows) {
  const size_t rows = column.players > 0 ? wanted_rows.num_players() : wanted_rows.envs.size();
  const npy_intp* dims = PyArray_DIMS(Array(array));
  bool fits = PyArray_NDIM(Array(array)) == static_cast<int>(column.shape.size()) + 1 &&
              dims[0] == static_cast<npy_intp>(rows);
  for (size_t i = 0; fits && i < column.shape.size(); ++i) fits = dims[i + 1] == column.shape[i];
  if (fits) return;
  py::tuple wanted(column.shape.size() + 1);
  wanted[0] = rows;
  for (size_t i = 0; i < column.shape.size(); ++i) wanted[i + 1] = column.shape[i];
  const std::string each = column.players > 0 ? "player of these envs" : "env";
  const bool is_one = column.players == 0 && HasShape(array, column.shape);
  throw py::value_error(what + " has shape " + Text(array.attr("shape")) + "; it must be " +
                        Text(wanted) + ", one row for each " + each + (is_one ? kSpacesOfOne : ""));
}

// Converts an array of integers to int64; TypeError if it contains other numbers.
py::object Integers(const std::string& what, const py::object& array) {
  const char kind = PyArray_DESCR(Array(array))->kind;
  if (kind != 'i' && kind != 'u' && PyArray_SIZE(Array(array)) > 0) {
    throw py::type_error(what + " has dtype " + Text(array.attr("dtype")) +
                         "; allowed are integers");
  }
  return Own(PyArray_FromArray(Array(array), PyArray_DescrFromType(NPY_INT64),
                               NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
}

// ValueError unless the user's "players.env_id" has the env of each player, as the engine has it.
void CheckPlayerIds(const std::string& task, const py::object& given, const ActionRows& rows) {
  const Column column("players.env_id", DType::kInt32, 1);
  const std::string what = task + ": " + column.name;
  const py::object array = AsArray(what, given);
  CheckShape(what, array, column, rows);
  const py::object wide = Integers(what, array);
  const auto* ids = static_cast<const int64_t*>(PyArray_DATA(Array(wide)));
  size_t at = 0;
  for (size_t i = 0; i < rows.envs.size(); ++i) {
    for (int32_t left = rows.players.empty() ? 1 : rows.players[i]; left > 0; --left, ++at) {
      if (ids[at] == rows.envs[i]) continue;
      throw py::value_error(what + "[" + std::to_string(at) + "] is " + Text(array[py::int_(at)]) +
                            "; it must be " + std::to_string(rows.envs[i]) +
                            ": the players of each env, in the order of env_id");
    }
  }
}

// Sets parts[part] = value or, if there is a path, parts[part][path[0]][path[1]]... = value, and
// makes the dicts that are missing.
void SetAt(PyObject* parts, size_t part, const std::vector<py::str>& path, py::object value) {
  if (path.empty()) {
    PyTuple_SET_ITEM(parts, part, value.release().ptr());
    return;
  }
  if (PyTuple_GET_ITEM(parts, part) == nullptr) {
    PyTuple_SET_ITEM(parts, part, py::dict().release().ptr());
  }
  PyObject* dict = PyTuple_GET_ITEM(parts, part);
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

// Moves the rows of the players that are in their envs to the front of `column`, without gaps. Each
// env has room for `most` rows of `bytes` bytes.
void Pack(std::byte* column, std::span<const int32_t> players, int64_t most, int64_t bytes) {
  std::byte* to = column;
  for (size_t row = 0; row < players.size(); ++row) {
    std::memmove(to, column + static_cast<int64_t>(row) * most * bytes, players[row] * bytes);
    to += players[row] * bytes;
  }
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
  is_one_ = false;
  if (env_id.is_none()) return all_;
  py::object given = AsArray(task_ + ": env_id", env_id);
  if (PyArray_NDIM(Array(given)) == 0) {
    is_one_ = true;
    given = given.attr("reshape")(1);
  }
  if (PyArray_NDIM(Array(given)) != 1) {
    throw py::value_error(task_ + ": env_id has shape " + Text(given.attr("shape")) +
                          "; it must be an integer, or have one dimension, as in [0, 2]");
  }
  const py::object wide = Integers(task_ + ": env_id", given);
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

size_t ActionRows::num_players() const {
  return players.empty() ? envs.size() : std::reduce(players.begin(), players.end(), size_t{0});
}

void ReadActions(const std::string& task, py::handle action, NamedArrays* named,
                 const std::vector<Column>& arrays, const ActionRows& rows,
                 std::vector<HeldArray>* out) {
  out->clear();
  const bool is_dict = py::isinstance<py::dict>(action);
  if (!is_dict && arrays.size() != 1) {
    throw py::type_error(task + ": action must be a dict, not " + Text(py::type::of(action)));
  }
  py::object player_ids;
  if (is_dict) {
    for (const Column& column : arrays) named->Find(column.name);
    player_ids = named->Find("players.env_id");
    named->CheckAllFound(task);
  }
  for (const Column& column : arrays) {
    const py::object value =
        is_dict ? named->Find(column.name) : py::reinterpret_borrow<py::object>(action);
    if (!value) throw py::value_error(task + ": action has no array " + column.name);
    const std::string what = task + ": " + column.name;
    py::object array = AsArray(what, value);
    if (rows.is_one && column.players == 0 && HasShape(array, column.shape)) {
      array = array[py::none()];  // adds the axis of the rows
    }
    CheckShape(what, array, column, rows);
    out->push_back(Readable(what, array));
  }
  if (player_ids) CheckPlayerIds(task, player_ids, rows);
}

BatchReader::BatchReader(const std::vector<Column>& columns, const std::vector<std::string>& parts)
    : num_parts_(parts.size()), players_column_(columns.size() - 1) {
  for (size_t k = 0; k < columns.size(); ++k) {
    const Column& column = columns[k];
    if (column.players > 0) most_players_ = column.players;
    const size_t colon = std::min(column.name.find(':'), column.name.size());
    const auto part = std::find(parts.begin(), parts.end(), column.name.substr(0, colon));
    if (part == parts.end()) continue;
    Leaf leaf{k, static_cast<size_t>(part - parts.begin()), {}, NumpyType(column.dtype), {0}, 0};
    if (colon < column.name.size()) leaf.path = SplitDots(column.name.substr(colon + 1));
    leaf.shape.insert(leaf.shape.end(), column.shape.begin(), column.shape.end());
    if (column.players > 0) leaf.player_bytes = column.row_bytes() / column.players;
    leaves_.push_back(std::move(leaf));
  }
}

py::tuple BatchReader::Read(Batch* batch) const {
  PyObject* const capsule = PyCapsule_New(batch, nullptr, ReleaseBatch);
  if (capsule == nullptr) batch->Release();  // there is no memory for it
  const py::object owner = Own(capsule);
  const auto rows = static_cast<size_t>(batch->rows());
  std::span<const int32_t> players;
  if (most_players_ > 0) players = {batch->column<int32_t>(players_column_), rows};
  const int64_t num_players = std::reduce(players.begin(), players.end(), int64_t{0});
  py::tuple result(num_parts_);
  for (const Leaf& leaf : leaves_) {
    std::byte* const data = batch->columns()[leaf.column];
    npy_intp dims[NPY_MAXDIMS];
    std::copy(leaf.shape.begin(), leaf.shape.end(), dims);
    dims[0] = batch->rows();
    if (leaf.player_bytes > 0) {
      if (num_players < dims[0] * most_players_) {
        Pack(data, players, most_players_, leaf.player_bytes);
      }
      dims[0] = num_players;
    }
    py::object array = Own(PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(leaf.type),
                                                static_cast<int>(leaf.shape.size()), dims, nullptr,
                                                data, NPY_ARRAY_CARRAY, nullptr));
    PyArray_SetBaseObject(Array(array), owner.inc_ref().ptr());
    SetAt(result.ptr(), leaf.part, leaf.path, std::move(array));
  }
  return result;
}

}  // namespace parallel_pool
