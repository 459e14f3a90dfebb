#include "parallel_pool/core/binding/array_fields.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "parallel_pool/core/engine/joined.h"
#include "parallel_pool/core/engine/wrapped.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

// In the order of DType, SpaceKind and JoinedArray::Content.
constexpr const char* kTypes[] = {"bool",  "int8",  "uint8",   "int16",
                                  "int32", "int64", "float32", "float64"};
constexpr const char* kKinds[] = {"box", "discrete", "multi_binary", "multi_discrete", "text"};
constexpr const char* kContents[] = {"parts", "task", "mask", "shape"};

template <class Enum, size_t n>
Enum FromName(const char* const (&names)[n], std::string_view name) {
  return static_cast<Enum>(std::find(names, names + n, name) - names);
}

// The fields of array_spec.ArraySpec.
DescribedArray ToArray(const py::handle& fields) {
  const auto tuple = py::cast<py::tuple>(fields);
  DescribedArray array{.column = {py::cast<std::string>(tuple[0]),
                                  FromName<DType>(kTypes, py::cast<std::string>(tuple[1])),
                                  py::cast<int32_t>(tuple[6])},
                       .meanings = py::cast<std::string>(py::str("\n").attr("join")(tuple[7]))};
  array.column.shape = py::cast<std::vector<int32_t>>(tuple[2]);
  array.column.kind = FromName<SpaceKind>(kKinds, py::cast<std::string>(tuple[3]));
  array.column.low = py::cast<std::vector<double>>(tuple[4]);
  array.column.high = py::cast<std::vector<double>>(tuple[5]);
  return array;
}

JoinedArray ToJoinedArray(const py::handle& given) {
  const auto [fields, content, of] = py::cast<std::tuple<py::tuple, std::string, int32_t>>(given);
  DescribedArray array = ToArray(fields);
  return {.column = std::move(array.column),
          .meanings = std::move(array.meanings),
          .content = FromName<JoinedArray::Content>(kContents, content),
          .of = of};
}

std::vector<JoinedArray> ToJoinedArrays(const py::list& given) {
  std::vector<JoinedArray> arrays;
  std::ranges::transform(given, std::back_inserter(arrays), ToJoinedArray);
  return arrays;
}

}  // namespace

std::vector<DescribedArray> ToArrays(const py::list& fields) {
  std::vector<DescribedArray> arrays;
  std::ranges::transform(fields, std::back_inserter(arrays), ToArray);
  return arrays;
}

py::tuple Fields(const Column& column, const char* meanings) {
  return py::make_tuple(column.name, kTypes[static_cast<int>(column.dtype)],
                        py::tuple(py::cast(column.shape)), kKinds[static_cast<int>(column.kind)],
                        column.low, column.high, column.players,
                        *meanings == 0 ? py::list() : py::str(meanings).attr("split")("\n"));
}

py::list ArrayFields(Span<ArraySpec> specs) {
  py::list list;
  for (const ArraySpec& spec : specs) list.append(Fields(Column(spec), spec.meanings));
  return list;
}

py::list PlayerFields(Span<PlayerSpec> players) {
  py::list list;
  for (const PlayerSpec& player : players) {
    list.append(py::make_tuple(player.name, player.role, ArrayFields(player.action),
                               ArrayFields(player.state)));
  }
  return list;
}

std::shared_ptr<Setup> Join(const std::string& id, const py::list& parts, const py::list& action,
                            const py::list& state) {
  using Fields =
      std::tuple<std::shared_ptr<Setup>, int32_t, std::vector<int32_t>, std::vector<int32_t>>;
  std::vector<JoinedPart> joined;
  for (const py::handle& part : parts) {
    auto [setup, num_envs, of_action, of_state] = py::cast<Fields>(part);
    joined.push_back({std::move(setup), num_envs, std::move(of_action), std::move(of_state)});
  }
  return std::make_shared<JoinedSetup>(id, std::move(joined), ToJoinedArrays(action),
                                       ToJoinedArrays(state));
}

std::shared_ptr<Setup> Wrap(const std::shared_ptr<Setup>& setup, const py::list& action,
                            const py::list& state, const py::list& parts) {
  using Numbers = std::vector<double>;
  std::vector<WrappedAction> actions;
  for (const py::handle& given : action) {
    auto [fields, low, high, gradient, intercept] =
        py::cast<std::tuple<py::tuple, Numbers, Numbers, Numbers, Numbers>>(given);
    actions.push_back({ToArray(fields).column, std::move(low), std::move(high), std::move(gradient),
                       std::move(intercept)});
  }
  std::vector<Column> columns;
  for (const py::handle& fields : state) columns.push_back(ToArray(fields).column);
  std::vector<WrappedPart> forms;
  for (const py::handle& part : parts) {
    const auto [from, to, first, frames, channel_last, one_hot] =
        py::cast<std::tuple<int32_t, int32_t, int64_t, int32_t, bool, bool>>(part);
    forms.push_back({from, to, first, frames, channel_last, one_hot});
  }
  return Wrapped(setup, std::move(actions), std::move(columns), std::move(forms));
}

}  // namespace parallel_pool
