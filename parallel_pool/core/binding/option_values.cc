#include "parallel_pool/core/binding/option_values.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <iterator>
#include <tuple>
#include <utility>

namespace parallel_pool {
namespace {

namespace py = pybind11;
using Memory = OptionValues::Memory;

const char* Keep(Memory& memory, std::string text) {
  return memory.texts.emplace_back(std::move(text)).c_str();
}

py::object FromBool(const OptionValue& value) {
  return py::bool_(value.integer != 0);
}
py::object FromInt(const OptionValue& value) {
  return py::int_(value.integer);
}
void ToInt(py::handle given, Memory&, OptionValue& value) {  // a bool, too
  value.integer = py::cast<int64_t>(given);
}

py::object FromFloat(const OptionValue& value) {
  return py::float_(value.real);
}
void ToFloat(py::handle given, Memory&, OptionValue& value) {
  value.real = py::cast<double>(given);
}

py::object FromString(const OptionValue& value) {
  return py::str(value.text);
}
void ToString(py::handle given, Memory& memory, OptionValue& value) {  // bytes, too
  auto text = py::cast<std::string>(given);
  value.integer = static_cast<int64_t>(text.size());
  value.text = Keep(memory, std::move(text));
}

// A Python int n, or a pair (smallest, end).
py::object FromRange(const OptionValue& value) {
  if (value.end == value.integer + 1) return py::int_(value.integer);
  return py::make_tuple(value.integer, value.end);
}
void ToRange(py::handle given, Memory&, OptionValue& value) {
  if (py::isinstance<py::int_>(given)) {
    value.integer = py::cast<int64_t>(given);
    value.end = value.integer + 1;
  } else {
    std::tie(value.integer, value.end) = py::cast<std::pair<int64_t, int64_t>>(given);
  }
}

// A tuple of str.
py::object FromLines(const OptionValue& value) {
  return py::tuple(py::str(value.text).attr("splitlines")());
}
void ToLines(py::handle given, Memory& memory, OptionValue& value) {
  value.text = Keep(memory, py::cast<std::string>(py::str("\n").attr("join")(given)));
}

// A tuple of float.
py::object FromNumbers(const OptionValue& value) {
  return py::tuple(py::cast(std::vector<double>(value.numbers.begin(), value.numbers.end())));
}
void ToNumbers(py::handle given, Memory& memory, OptionValue& value) {
  value.numbers =
      Span<double>::Of(memory.numbers.emplace_back(py::cast<std::vector<double>>(given)));
}

py::object FromIntOrString(const OptionValue& value) {
  return value.text == nullptr ? FromInt(value) : FromString(value);
}
void ToIntOrString(py::handle given, Memory& memory, OptionValue& value) {
  value.text = nullptr;
  if (py::isinstance<py::int_>(given)) return ToInt(given, memory, value);
  ToString(given, memory, value);
}

// A dict of read-only float64 arrays by name.
py::object FromArrays(const OptionValue& value) {
  py::dict arrays;
  for (const OptionArray& array : value.arrays) {
    const std::vector<py::ssize_t> shape(array.shape.begin(), array.shape.end());
    py::array_t<double> copy(shape, array.numbers.data);
    copy.attr("setflags")(py::arg("write") = false);
    arrays[array.name] = copy;
  }
  return arrays;
}
void ToArrays(py::handle given, Memory& memory, OptionValue& value) {
  std::vector<OptionArray>& arrays = memory.arrays.emplace_back();
  for (const auto& [name, object] : py::cast<py::dict>(given)) {
    const py::array_t<double, py::array::c_style> array(py::cast<py::array>(object));
    const auto& shape = memory.shapes.emplace_back(array.shape(), array.shape() + array.ndim());
    const auto& numbers = memory.numbers.emplace_back(array.data(), array.data() + array.size());
    arrays.push_back({Keep(memory, py::cast<std::string>(name)), Span<int32_t>::Of(shape),
                      Span<double>::Of(numbers)});
  }
  value.arrays = Span<OptionArray>::Of(arrays);
}

// A dict from str or int to a tuple of float, or to a float if each key has one number.
py::object FromKeyed(const OptionValue& value) {
  py::dict dict;
  for (const KeyedNumbers& entry : value.keyed) {
    const std::vector<double> numbers(entry.numbers.begin(), entry.numbers.end());
    const py::object key = value.type == OptionType::kNumbersByName
                               ? py::object(py::str(entry.name))
                               : py::object(py::int_(entry.number));
    dict[key] = value.integer == 1 ? py::object(py::float_(numbers[0]))
                                   : py::object(py::tuple(py::cast(numbers)));
  }
  return dict;
}
void ToKeyed(py::handle given, Memory& memory, OptionValue& value) {
  std::vector<KeyedNumbers>& all = memory.keyed.emplace_back();
  for (const auto& [key, object] : py::cast<py::dict>(given)) {
    KeyedNumbers& entry = all.emplace_back();
    if (value.type == OptionType::kNumbersByName) {
      entry.name = Keep(memory, py::cast<std::string>(key));
    } else {
      entry.number = py::cast<int64_t>(key);
    }
    auto numbers = value.integer == 1 ? std::vector<double>{py::cast<double>(object)}
                                      : py::cast<std::vector<double>>(object);
    entry.numbers = Span<double>::Of(memory.numbers.emplace_back(std::move(numbers)));
  }
  value.keyed = Span<KeyedNumbers>::Of(all);
}

struct OptionKind {
  const char* name;
  py::object (*to_python)(const OptionValue& value);
  // Sets the members of `value` for this type; the data that they point to goes into `memory`.
  void (*from_python)(py::handle given, Memory& memory, OptionValue& value);
};

// In the order of OptionType.
constexpr OptionKind kOptionKinds[] = {
    {"bool", FromBool, ToInt},
    {"int", FromInt, ToInt},
    {"float", FromFloat, ToFloat},
    {"str", FromString, ToString},
    {"range", FromRange, ToRange},
    {"lines", FromLines, ToLines},
    {"numbers", FromNumbers, ToNumbers},
    {"env_arrays", FromArrays, ToArrays},
    {"int_or_str", FromIntOrString, ToIntOrString},
    {"numbers_by_name", FromKeyed, ToKeyed},
    {"numbers_by_int", FromKeyed, ToKeyed},
};
static_assert(std::size(kOptionKinds) == static_cast<size_t>(OptionType::kNumbersByInt) + 1);

const OptionKind& KindOf(OptionType type) {
  return kOptionKinds[static_cast<size_t>(type)];
}

}  // namespace

const char* NameOf(OptionType type) {
  return KindOf(type).name;
}

py::object ToPython(const OptionValue& value) {
  return KindOf(value.type).to_python(value);
}

OptionValues::OptionValues(Span<OptionSpec> options, const py::list& given) {
  if (given.empty()) return;
  for (int32_t i = 0; i < options.size; ++i) {
    OptionValue& value = values_.emplace_back(options[i].initial);
    value.is_default = given[i].is_none();
    if (!value.is_default) KindOf(value.type).from_python(given[i], memory_, value);
  }
}

}  // namespace parallel_pool
