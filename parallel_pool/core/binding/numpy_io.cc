#include "parallel_pool/core/binding/numpy_io.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "parallel_pool/core/binding/numpy_api.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

std::string Text(const py::handle& object) {
  return py::str(object).cast<std::string>();
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
  return {std::move(cast), {data, dtype}, 0};
}

// The array in C-contiguous memory, native byte order and one of the engine's types; itself if it
// already is, else a copy.
HeldArray Readable(const std::string& what, const py::object& array) {
  for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kFloat32, DType::kFloat64,
                            DType::kInt8, DType::kUint8, DType::kInt16, DType::kBool}) {
    if (PyArray_TYPE(Array(array)) != NumpyType(dtype)) continue;
    py::object plain =
        PyArray_ISCARRAY_RO(Array(array))
            ? array
            : Own(PyArray_FromArray(Array(array), PyArray_DescrFromType(NumpyType(dtype)),
                                    NPY_ARRAY_CARRAY_RO));
    const void* data = PyArray_DATA(Array(plain));
    return {std::move(plain), {data, dtype}, 0};
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
  const auto* numbers = static_cast<const int64_t*>(wide.data.data);
  const npy_intp count = PyArray_SIZE(Array(array));
  const bool fits = std::all_of(numbers, numbers + count, [](int64_t n) { return n >= 0; });
  return fits ? std::move(wide) : Cast(array, DType::kFloat64);
}

bool HasShape(const py::object& array, const std::vector<int32_t>& shape) {
  const npy_intp* dims = PyArray_DIMS(Array(array));
  return PyArray_NDIM(Array(array)) == static_cast<int>(shape.size()) &&
         std::equal(shape.begin(), shape.end(), dims);
}

// A user of batched spaces has sampled this action.
constexpr char kSpacesOfOne[] =
    "env; a pool's spaces are those of one env (gymnasium.make_vec() makes pools with batched "
    "spaces)";

void CheckShape(const std::string& what, const py::object& array, const Column& column,
                const ActionRows& wanted_rows) {
  const size_t rows = column.players > 0 ? wanted_rows.num_players() : wanted_rows.envs.size();
  const npy_intp* dims = PyArray_DIMS(Array(array));
  bool fits = PyArray_NDIM(Array(array)) == static_cast<int>(column.shape.size()) + 1 &&
              dims[0] == static_cast<npy_intp>(rows);
  for (size_t i = 0; fits && i < column.shape.size(); ++i) fits = dims[i + 1] == column.shape[i];
  if (fits) return;
  py::list wanted;
  if (!wanted_rows.is_one) wanted.append(rows);
  for (const int32_t size : column.shape) wanted.append(size);
  const std::string has =
      what + " has shape " + Text(array.attr("shape")) + "; it must be " + Text(py::tuple(wanted));
  if (wanted_rows.is_one) throw py::value_error(has + ", for one env");
  throw py::value_error(has + ", one row for each " +
                        (column.players > 0              ? "player of these envs"
                         : HasShape(array, column.shape) ? kSpacesOfOne
                                                         : "env"));
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

// Reads an int or an integer of NumPy's; false for anything else. Arrays take ten times as long.
bool ReadNumber(const py::object& value, const Column& column, std::vector<HeldArray>* out) {
  if (column.dtype == DType::kFloat32 || column.dtype == DType::kFloat64) return false;
  if (!PyLong_CheckExact(value.ptr()) && !PyArray_IsScalar(value.ptr(), Integer)) return false;
  const py::object index = Own(PyNumber_Index(value.ptr()));
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0) return false;
  out->push_back({py::object(), {}, number});
  return true;
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

}  // namespace

EnvIds::EnvIds(std::string task, int num_envs, bool unbatched)
    : task_(std::move(task)), unbatched_(unbatched), all_(num_envs) {
  std::iota(all_.begin(), all_.end(), 0);
}

std::span<const int32_t> EnvIds::Read(py::handle env_id) {
  is_one_ = unbatched_;
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
  // {"players": {"action": x}} is the action of players, too: EnvPool's names of such arrays.
  const auto find = [&](const Column& column) {
    py::object value = named->Find(column.name);
    if (!value && column.players > 0) value = named->Find("players." + column.name);
    return value;
  };
  py::object player_ids;
  if (is_dict) {
    for (const Column& column : arrays) find(column);
    player_ids = named->Find("players.env_id");
    named->CheckAllFound(task);
  }
  for (const Column& column : arrays) {
    const py::object value = is_dict ? find(column) : py::reinterpret_borrow<py::object>(action);
    if (!value) throw py::value_error(task + ": action has no array " + column.name);
    const bool is_row = rows.is_one && column.players == 0;  // may come without its axis
    if (is_row && column.shape.empty() && ReadNumber(value, column, out)) continue;
    const std::string what = task + ": " + column.name;
    const py::object array = AsArray(what, value);
    if (!is_row || !HasShape(array, column.shape)) CheckShape(what, array, column, rows);
    out->push_back(Readable(what, array));
  }
  if (player_ids) CheckPlayerIds(task, player_ids, rows);
}

}  // namespace parallel_pool
