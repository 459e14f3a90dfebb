#include "parallel_pool/core/binding/python_group.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "parallel_pool/core/binding/numpy_api.h"
#include "parallel_pool/core/binding/process_state.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

std::vector<Column> ColumnsOf(Span<ArraySpec> specs) {
  std::vector<Column> columns;
  for (const ArraySpec& spec : specs) {
    if (std::string_view(spec.name) != kPythonInfo) columns.emplace_back(spec);
  }
  return columns;
}

std::string TypeName(py::handle object) {
  return Py_TYPE(object.ptr())->tp_name;
}

// "(4,)", or with a row for each player "(players, 4)".
std::string ShapeText(const npy_intp* dims, int count, bool has_players = false) {
  std::string text = has_players ? "(players, " : "(";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + std::to_string(dims[i]);
  return text + (count == 1 && !has_players ? ",)" : ")");
}

std::string DTypeText(PyArray_Descr* dtype) {
  return py::cast<std::string>(py::str(reinterpret_cast<PyObject*>(dtype)));
}

// Whether the array has the shape of a row. Where the column is per player, the first axis has at
// most as many players as it has room for.
bool HasShape(PyArrayObject* array, const Column& column) {
  const int own_axes = static_cast<int>(column.shape.size());
  const int more = column.players > 0 ? 1 : 0;
  if (PyArray_NDIM(array) != own_axes + more) return false;
  if (more == 1 && PyArray_DIM(array, 0) > column.players) return false;
  for (int i = 0; i < own_axes; ++i) {
    if (PyArray_DIM(array, i + more) != column.shape[i]) return false;
  }
  return true;
}

[[noreturn]] void RefuseShape(PyArrayObject* array, const Column& column) {
  const std::vector<npy_intp> own(column.shape.begin(), column.shape.end());
  throw std::invalid_argument(
      "its " + column.name + " has shape " + ShapeText(PyArray_DIMS(array), PyArray_NDIM(array)) +
      "; its space has " + ShapeText(own.data(), static_cast<int>(own.size()), column.players > 0));
}

// Writes the bytes of a text to a row, then zeros.
void WriteText(py::handle object, const Column& column, std::byte* to) {
  if (!PyUnicode_Check(object.ptr())) {
    throw std::invalid_argument("its " + column.name + " is of type " + TypeName(object) +
                                "; its space has texts");
  }
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (text == nullptr) throw py::error_already_set();
  if (size > column.row_bytes()) {
    throw std::invalid_argument("its " + column.name + " has " + std::to_string(size) +
                                " bytes; its space has at most " +
                                std::to_string(column.row_bytes()));
  }
  std::memcpy(to, text, size);
  std::memset(to + size, 0, column.row_bytes() - size);
}

// Writes an array of a row to `to`; returns its players, or -1 if it is not per player.
int32_t WriteArray(py::handle object, const Column& column, std::byte* to) {
  if (column.kind == SpaceKind::kText) {
    WriteText(object, column, to);
    return -1;
  }
  const int type = NumpyType(column.dtype);
  if (column.shape.empty() && column.players == 0 && column.dtype == DType::kInt64 &&
      PyLong_Check(object.ptr())) {
    const int64_t number = PyLong_AsLongLong(object.ptr());
    if (number == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    std::memcpy(to, &number, sizeof number);
    return -1;
  }
  py::object array = py::reinterpret_borrow<py::object>(object);
  if (!PyArray_CheckExact(object.ptr()) || PyArray_TYPE(Array(array)) != type ||
      !PyArray_ISCARRAY_RO(Array(array))) {
    const py::object any = Own(PyArray_FromAny(object.ptr(), nullptr, 0, 0, 0, nullptr));
    PyArray_Descr* const wanted = PyArray_DescrFromType(type);
    const py::object owner = Own(reinterpret_cast<PyObject*>(wanted));
    if (PyArray_CanCastArrayTo(Array(any), wanted, NPY_SAME_KIND_CASTING) == 0) {
      throw std::invalid_argument("its " + column.name + " has dtype " +
                                  DTypeText(PyArray_DESCR(Array(any))) + "; its space has " +
                                  DTypeText(wanted));
    }
    array =
        Own(PyArray_FromArray(Array(any), reinterpret_cast<PyArray_Descr*>(owner.inc_ref().ptr()),
                              NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
  }
  if (!HasShape(Array(array), column)) RefuseShape(Array(array), column);
  const auto bytes = static_cast<int64_t>(PyArray_NBYTES(Array(array)));
  std::memcpy(to, PyArray_DATA(Array(array)), bytes);
  if (column.players == 0) return -1;
  std::memset(to + bytes, 0, column.row_bytes() - bytes);
  return static_cast<int32_t>(PyArray_DIM(Array(array), 0));
}

// The array of an action as an env of Gymnasium's vector envs gets it: a NumPy scalar, or an array.
py::object ReadArray(const Column& column, const std::byte* row) {
  const DType type = column.has_doubles(row) ? DType::kFloat64 : column.dtype;
  PyArray_Descr* const dtype = PyArray_DescrFromType(NumpyType(type));
  if (column.shape.empty() && column.players == 0) {
    const py::object owner = Own(reinterpret_cast<PyObject*>(dtype));
    return Own(PyArray_Scalar(const_cast<std::byte*>(row), dtype, nullptr));
  }
  std::vector<npy_intp> dims;
  if (column.players > 0) dims.push_back(column.players);
  dims.insert(dims.end(), column.shape.begin(), column.shape.end());
  py::object array = Own(PyArray_NewFromDescr(&PyArray_Type, dtype, static_cast<int>(dims.size()),
                                              dims.data(), nullptr, nullptr, 0, nullptr));
  std::memcpy(PyArray_DATA(Array(array)), row, column.row_size() * ItemBytes(type));
  return array;
}

// The reward that step() returned: a number, or something that is one, such as a NumPy scalar.
double Number(PyObject* object) {
  const bool is_array =
      PyArray_Check(object) && PyArray_NDIM(reinterpret_cast<PyArrayObject*>(object)) > 0;
  const double number = is_array ? -1 : PyFloat_AsDouble(object);
  if (!is_array && (number != -1 || PyErr_Occurred() == nullptr)) return number;
  if (!is_array && !PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
  PyErr_Clear();
  throw std::invalid_argument("its reward is " + py::cast<std::string>(py::repr(object)) +
                              "; it must be a number");
}

bool Truth(PyObject* object) {
  const int truth = PyObject_IsTrue(object);
  if (truth < 0) throw py::error_already_set();
  return truth != 0;
}

void CheckTuple(py::handle result, Py_ssize_t size, const char* call, const char* parts) {
  if (PyTuple_Check(result.ptr()) && PyTuple_GET_SIZE(result.ptr()) == size) return;
  std::string got = TypeName(result);
  if (PyTuple_Check(result.ptr())) {
    got = "a tuple of " + std::to_string(PyTuple_GET_SIZE(result.ptr()));
  }
  throw std::invalid_argument(std::string(call) + " returned " + got + "; Gymnasium's API has " +
                              parts);
}

}  // namespace

PythonGroup::PythonGroup(const Setup& setup, int32_t num_envs, Helpers helpers,
                         bool keeps_exceptions)
    : action_(ColumnsOf(setup.action_spec())),
      state_(ColumnsOf(setup.state_spec())),
      info_bytes_(Column(setup.state_spec()[setup.state_spec().size - 1]).row_bytes()),
      helpers_(std::move(helpers)),
      keeps_exceptions_(keeps_exceptions),
      generation_(ForkGeneration()),
      envs_(num_envs) {}

void PythonGroup::SetEnv(int32_t env, const py::object& object) {
  envs_[env].step = object.attr("step");
  envs_[env].reset = object.attr("reset");
}

py::tuple PythonGroup::Last(int32_t env) const {
  const auto shown = [](const py::object& object) { return object ? object : py::none(); };
  return py::make_tuple(shown(envs_[env].obs), shown(envs_[env].info));
}

void PythonGroup::SetLast(int32_t env, py::object obs, py::object info) {
  envs_[env].obs = std::move(obs);
  envs_[env].info = info.is_none() ? py::object() : std::move(info);
}

py::object PythonGroup::Raised(int32_t env) {
  py::object raised = std::exchange(envs_[env].raised, {});
  return raised ? raised : py::none();
}

void PythonGroup::Forget() {
  for (Env& env : envs_) {
    env.step = env.reset = env.obs = env.info = env.options = env.raised = py::object();
  }
}

// A process that an env has forked, and that came back from the env's code: it is no worker.
void PythonGroup::ExitIfForked() const {
  if (generation_ != ForkGeneration()) std::_Exit(0);
}

// Runs `body`; if it throws, the env's result has failed.
template <class Body>
void PythonGroup::Guarded(Env& env, Result* result, const Body& body) {
  try {
    body();
    return;
  } catch (py::error_already_set& error) {
    ExitIfForked();
    interrupted_ |= error.matches(PyExc_KeyboardInterrupt);
    if (keeps_exceptions_) env.raised = error.value();
    try {
      if (error.trace()) PyException_SetTraceback(error.value().ptr(), error.trace().ptr());
      env.failure = py::cast<std::string>(helpers_.describe(error.value()));
    } catch (const std::exception&) {  // no memory, or its __str__ throws
      env.failure = "an exception that cannot be shown";
    }
  } catch (const std::exception& error) {
    env.failure = error.what();
  }
  *result = {.outcome = {}, .new_world = false, .failed = true};
}

void PythonGroup::Step(const int32_t* envs, const Turn* turns, int32_t count,
                       std::byte* const* actions, Result* results) noexcept {
  for (int32_t i = 0; i < count; ++i) {
    Env& env = envs_[envs[i]];
    results[i] = {};
    Guarded(env, &results[i], [&] {
      if (turns[i] == Turn::kStep) {
        if (!env.obs) throw std::runtime_error("its episode was lost: its worker has ended");
        results[i] = StepEnv(env, ActionOf(envs[i], actions));
      } else if (turns[i] != Turn::kObserveOnly) {
        results[i] = ResetEnv(env);
      }
    });
  }
}

py::object PythonGroup::ActionOf(int32_t env, std::byte* const* actions) const {
  const auto array = [&](size_t k) {
    return ReadArray(action_[k], actions[k] + env * action_[k].row_bytes());
  };
  if (helpers_.action_of.is_none()) return array(0);
  py::list arrays;
  for (size_t k = 0; k < action_.size(); ++k) arrays.append(array(k));
  return helpers_.action_of(arrays);
}

Result PythonGroup::StepEnv(Env& env, py::object action) {
  PyObject* const argument = action.ptr();
  const py::object result = Own(PyObject_Vectorcall(env.step.ptr(), &argument, 1, nullptr));
  ExitIfForked();
  CheckTuple(result, 5, "step()", "5: observation, reward, terminated, truncated, info");
  PyObject* const tuple = result.ptr();
  Result row;
  row.outcome.reward = Number(PyTuple_GET_ITEM(tuple, 1));
  row.outcome.terminated = Truth(PyTuple_GET_ITEM(tuple, 2));
  row.outcome.truncated = Truth(PyTuple_GET_ITEM(tuple, 3));
  SetInfo(env, PyTuple_GET_ITEM(tuple, 4));
  env.obs = py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(tuple, 0));
  return row;
}

Result PythonGroup::ResetEnv(Env& env) {
  py::dict arguments;
  if (std::exchange(env.has_seed, false)) arguments[seed_name_] = env.seed;
  if (env.options) arguments[options_name_] = std::exchange(env.options, {});
  const py::object result =
      Own(PyObject_VectorcallDict(env.reset.ptr(), nullptr, 0, arguments.ptr()));
  ExitIfForked();
  CheckTuple(result, 2, "reset()", "2: observation, info");
  SetInfo(env, PyTuple_GET_ITEM(result.ptr(), 1));
  env.obs = py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(result.ptr(), 0));
  return {.outcome = {}, .new_world = true};
}

void PythonGroup::SetInfo(Env& env, py::handle info) const {
  if (!PyDict_Check(info.ptr())) {
    throw std::invalid_argument("its info is of type " + TypeName(info) + ", not a dict");
  }
  env.info = PyDict_Size(info.ptr()) == 0 ? py::object() : helpers_.encode_info(info);
  if (!env.info) return;
  const auto size = static_cast<int64_t>(PyBytes_Size(env.info.ptr()));
  const auto room = info_bytes_ - static_cast<int64_t>(sizeof(InfoLength));
  if (size > room) {
    throw std::invalid_argument("its info takes " + std::to_string(size) +
                                " bytes; there is room for " + std::to_string(room) +
                                ": give make_python() a larger info_bytes");
  }
}

void PythonGroup::Observe(const int32_t* envs, int32_t count, std::byte* const* columns,
                          int64_t first_row, Result* results) noexcept {
  for (int32_t i = 0; i < count; ++i) {
    if (results[i].failed) continue;
    Env& env = envs_[envs[i]];
    Guarded(env, &results[i], [&] { results[i].players = WriteRow(env, columns, first_row + i); });
  }
}

// Returns the number of players.
int32_t PythonGroup::WriteRow(const Env& env, std::byte* const* columns, int64_t row) const {
  if (!env.obs) throw std::runtime_error("its last observation was lost: its worker has ended");
  int32_t players = -1;
  const auto write = [&](size_t k, py::handle array) {
    players =
        std::max(players, WriteArray(array, state_[k], columns[k] + row * state_[k].row_bytes()));
  };
  if (helpers_.arrays_of.is_none()) {
    write(0, env.obs);
  } else {
    const py::list arrays = helpers_.arrays_of(env.obs);
    if (py::len(arrays) != state_.size()) throw std::invalid_argument("its arrays are too few");
    for (size_t k = 0; k < state_.size(); ++k) write(k, arrays[k]);
  }
  std::byte* const info = columns[state_.size()] + row * info_bytes_;
  const auto size = static_cast<InfoLength>(env.info ? PyBytes_GET_SIZE(env.info.ptr()) : 0);
  std::memcpy(info, &size, sizeof size);
  if (size > 0) std::memcpy(info + sizeof size, PyBytes_AS_STRING(env.info.ptr()), size);
  return players;
}

}  // namespace parallel_pool
