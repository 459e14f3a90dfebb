#include "parallel_pool/core/binding/batch_reader.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "parallel_pool/core/binding/numpy_api.h"
#include "parallel_pool/core/binding/python_group.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

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

// Whether any row has infos of a Python env (python_group.h).
bool HasInfos(const std::byte* data, int64_t rows, int64_t row_bytes) {
  for (int64_t row = 0; row < rows; ++row) {
    InfoLength length;
    std::memcpy(&length, data + row * row_bytes, sizeof length);
    if (length > 0) return true;
  }
  return false;
}

constexpr std::string_view kEndedMask = "info:_episode", kOfEnded = "info:episode.";

std::vector<std::string> PartsOf(BatchForm form) {
  std::vector<std::string> parts{"obs", "reward", "terminated", "truncated", "info"};
  if (form.with_timing) parts.insert(parts.end(), {"discount", "step_type"});
  return parts;
}

// Whether an info is about the rows of a batch.
bool IsOfRows(const std::string& column) {
  if (column == kEndedMask) return true;
  return column == "info:env_id" || column == "info:elapsed_step" ||
         column == "info:players.env_id";
}

// The column of the mask of an info of the task, "info:_lap_finished" of "info:lap_finished", which
// says in which rows the info is; 0 if there is none. A single env has the info only there.
size_t MaskOf(const std::vector<Column>& columns, const std::string& info) {
  constexpr std::string_view kInfo = "info:";
  if (!info.starts_with(kInfo)) return 0;
  const std::string name = std::string(kInfo) + "_" + info.substr(kInfo.size());
  const auto found = std::ranges::find(columns, name, &Column::name);
  return found == columns.end() ? 0 : found - columns.begin();
}

bool IsMask(const std::string& column) {
  return column.starts_with("info:_");
}

// One number as a Python object.
py::object Number(const std::byte* data, DType dtype) {
  const auto as = [data]<class T>(T) {
    T number;
    std::memcpy(&number, data, sizeof number);
    return number;
  };
  switch (dtype) {
    case DType::kBool:
      return py::bool_(as(false));
    case DType::kInt8:
      return py::int_(as(int8_t{}));
    case DType::kUint8:
      return py::int_(as(uint8_t{}));
    case DType::kInt16:
      return py::int_(as(int16_t{}));
    case DType::kInt32:
      return py::int_(as(int32_t{}));
    case DType::kInt64:
      return py::int_(as(int64_t{}));
    case DType::kFloat32:
      return py::float_(as(float{}));
    case DType::kFloat64:
      return py::float_(as(double{}));
    case DType::kFloat32Or64:  // not of a Column
      break;
  }
  return py::none();
}

// One number as a NumPy scalar.
py::object NumpyNumber(std::byte* data, DType dtype) {
  PyArray_Descr* const type = PyArray_DescrFromType(NumpyType(dtype));
  const py::object owner = Own(reinterpret_cast<PyObject*>(type));
  return Own(PyArray_Scalar(data, type, nullptr));
}

// A row of SpaceKind::kText as a str.
py::object TextOf(const std::byte* row, int64_t size) {
  const auto* text = reinterpret_cast<const char*>(row);
  return py::str(text, strnlen(text, static_cast<size_t>(size)));
}

// Rows of SpaceKind::kText as a tuple of str, as Gymnasium's vector envs have them.
py::object TextsOf(const std::byte* data, size_t rows, int64_t size) {
  py::tuple texts(rows);
  for (size_t row = 0; row < rows; ++row) {
    texts[row] = TextOf(data + static_cast<int64_t>(row) * size, size);
  }
  return texts;
}

void ReleaseBatch(PyObject* capsule) {
  static_cast<Batch*>(PyCapsule_GetPointer(capsule, nullptr))->Release();
}

}  // namespace

BatchReader::BatchReader(const std::vector<Column>& columns, BatchForm form)
    : parts_(PartsOf(form)), players_column_(columns.size() - 1) {
  for (size_t k = 0; k < columns.size(); ++k) {
    const Column& column = columns[k];
    if (column.players > 0) most_players_ = column.players;
    const size_t colon = std::min(column.name.find(':'), column.name.size());
    const auto part = std::find(parts_.begin(), parts_.end(), column.name.substr(0, colon));
    if (column.name == kEndedMask) ended_column_ = k;
    if (part == parts_.end() || (form.unbatched && IsOfRows(column.name))) continue;
    // dm_env's namedtuples have no such names, and a single env has the infos where they are set.
    if ((form.with_timing || form.unbatched) && IsMask(column.name)) continue;
    if (form.with_timing && column.is_pickled()) continue;
    const bool is_obs = part == parts_.begin();
    const bool is_of_ended = column.name == kEndedMask || column.name.starts_with(kOfEnded);
    Leaf leaf{.column = k,
              .part = static_cast<size_t>(part - parts_.begin()),
              .dtype = column.dtype,
              .is_number = form.unbatched && column.shape.empty() &&
                           !(is_obs && !form.with_timing && column.kind != SpaceKind::kDiscrete),
              .is_numpy = is_obs && form.with_timing,
              .is_text = form.texts_are_str && column.kind == SpaceKind::kText,
              .is_row = form.unbatched,
              .is_of_ended = is_of_ended && !form.with_timing,
              .is_python = column.is_pickled(),
              .mask = form.unbatched && !form.with_timing ? MaskOf(columns, column.name) : 0};
    if (!form.unbatched) leaf.shape.push_back(0);
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
  const bool any_ended =
      ended_column_ > 0 && std::memchr(batch->columns()[ended_column_], true, rows) != nullptr;
  py::tuple result(parts_.size());
  for (const Leaf& leaf : leaves_) {
    if (leaf.is_of_ended && !any_ended) continue;
    if (leaf.mask > 0 && !*reinterpret_cast<const bool*>(batch->columns()[leaf.mask])) continue;
    std::byte* const data = batch->columns()[leaf.column];
    if (leaf.is_python && !HasInfos(data, batch->rows(), leaf.shape.back())) continue;
    npy_intp dims[NPY_MAXDIMS];
    std::copy(leaf.shape.begin(), leaf.shape.end(), dims);
    if (leaf.is_number) {
      SetAt(result.ptr(), leaf.part, leaf.path,
            leaf.is_numpy ? NumpyNumber(data, leaf.dtype) : Number(data, leaf.dtype));
      continue;
    }
    if (leaf.is_text) {
      const int64_t size = leaf.shape.back();
      SetAt(result.ptr(), leaf.part, leaf.path,
            leaf.is_row ? TextOf(data, size) : TextsOf(data, rows, size));
      continue;
    }
    if (!leaf.is_row) dims[0] = batch->rows();
    if (leaf.player_bytes > 0) {
      if (num_players < dims[0] * most_players_) {
        Pack(data, players, most_players_, leaf.player_bytes);
      }
      dims[0] = num_players;
    }
    py::object array = Own(PyArray_NewFromDescr(
        &PyArray_Type, PyArray_DescrFromType(NumpyType(leaf.dtype)),
        static_cast<int>(leaf.shape.size()), dims, nullptr, data, NPY_ARRAY_CARRAY, nullptr));
    PyArray_SetBaseObject(Array(array), owner.inc_ref().ptr());
    SetAt(result.ptr(), leaf.part, leaf.path, std::move(array));
  }
  for (size_t part = 0; part < parts_.size(); ++part) {
    if (PyTuple_GET_ITEM(result.ptr(), part) == nullptr) {  // an env without infos
      PyTuple_SET_ITEM(result.ptr(), part, py::dict().release().ptr());
    }
  }
  return result;
}

}  // namespace parallel_pool
