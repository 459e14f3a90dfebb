// parallel_pool.core._core: families, tasks and pools for Python. The rest of the package adds
// names, spaces and the three APIs.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/family.h"
#include "parallel_pool/core/machine.h"
#include "parallel_pool/core/numpy_io.h"
#include "parallel_pool/core/pool.h"
#include "parallel_pool/core/python_pool.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

// A read-only array; its first axis is the envs.
py::array ToPython(const EnvArray& array) {
  std::vector<py::ssize_t> shape(array.shape.begin(), array.shape.end());
  py::ssize_t size = 1;
  for (const py::ssize_t n : shape) size *= n;
  shape.insert(shape.begin(), size > 0 ? array.numbers.size / size : 0);
  py::array_t<double> copy(shape, array.numbers.data);
  copy.attr("setflags")(py::arg("write") = false);
  return copy;
}

py::object ToPython(const OptionValue& value) {
  switch (value.type) {
    case OptionType::kBool:
      return py::bool_(value.integer != 0);
    case OptionType::kInt:
      return py::int_(value.integer);
    case OptionType::kFloat:
      return py::float_(value.real);
    case OptionType::kIntRange:
      if (value.end == value.integer + 1) return py::int_(value.integer);
      return py::make_tuple(value.integer, value.end);
    case OptionType::kLines:
      return py::tuple(py::str(value.text).attr("splitlines")());
    case OptionType::kNumbers:
      return py::tuple(py::cast(std::vector<double>(value.numbers.begin(), value.numbers.end())));
    case OptionType::kEnvArrays: {
      py::dict arrays;
      for (const EnvArray& array : value.arrays) arrays[array.name] = ToPython(array);
      return arrays;
    }
    case OptionType::kIntOrString:
      if (value.text == nullptr) return py::int_(value.integer);
      break;
    case OptionType::kString:
      break;
  }
  return py::str(value.text);
}

// The arrays of a dict; owns what they point to.
struct GivenArrays {
  std::vector<std::string> names;
  std::vector<py::array_t<double, py::array::c_style>> numbers;
  std::vector<std::vector<int32_t>> shapes;  // of a row
  std::vector<EnvArray> arrays;

  explicit GivenArrays(const py::dict& given) {
    for (const auto& [name, array] : given) {
      names.push_back(py::cast<std::string>(name));
      const auto& all = numbers.emplace_back(py::cast<py::array>(array));
      shapes.emplace_back(all.shape() + 1, all.shape() + all.ndim());
    }
    for (size_t i = 0; i < names.size(); ++i) {
      arrays.push_back({names[i].c_str(),
                        {shapes[i].data(), static_cast<int32_t>(shapes[i].size())},
                        {numbers[i].data(), static_cast<int32_t>(numbers[i].size())}});
    }
  }
  Span<EnvArray> span() const { return {arrays.data(), static_cast<int32_t>(arrays.size())}; }
};

// One value for each option of a task, of the right types, or None for its default; owns what these
// point to.
struct OptionValues {
  std::vector<OptionValue> values;
  std::vector<std::string> texts;
  std::vector<std::vector<double>> numbers;
  std::vector<std::unique_ptr<const GivenArrays>> arrays;

  OptionValues(Span<OptionSpec> options, const py::list& given) {
    texts.resize(options.size);
    numbers.resize(options.size);
    for (int32_t i = 0; i < options.size; ++i) {
      OptionValue& value = values.emplace_back(options[i].initial);
      value.is_default = given[i].is_none();
      if (value.is_default) continue;
      switch (value.type) {
        case OptionType::kBool:
        case OptionType::kInt:
          value.integer = py::cast<int64_t>(given[i]);
          break;
        case OptionType::kFloat:
          value.real = py::cast<double>(given[i]);
          break;
        case OptionType::kIntOrString:
          value.text = nullptr;
          if (py::isinstance<py::int_>(given[i])) {
            value.integer = py::cast<int64_t>(given[i]);
            break;
          }
          [[fallthrough]];
        case OptionType::kString:
          texts[i] = py::cast<std::string>(given[i]);
          value.text = texts[i].c_str();
          break;
        case OptionType::kLines:
          texts[i] = py::cast<std::string>(py::str("\n").attr("join")(given[i]));
          value.text = texts[i].c_str();
          break;
        case OptionType::kNumbers:
          numbers[i] = py::cast<std::vector<double>>(given[i]);
          value.numbers = {numbers[i].data(), static_cast<int32_t>(numbers[i].size())};
          break;
        case OptionType::kEnvArrays:
          arrays.push_back(std::make_unique<GivenArrays>(py::cast<py::dict>(given[i])));
          value.arrays = arrays.back()->span();
          break;
        case OptionType::kIntRange:
          const bool one = py::isinstance<py::int_>(given[i]);
          value.integer = py::cast<int64_t>(one ? py::object(given[i]) : given[i][py::int_(0)]);
          value.end = one ? value.integer + 1 : py::cast<int64_t>(given[i][py::int_(1)]);
          break;
      }
    }
  }
  Span<OptionValue> span() const { return {values.data(), static_cast<int32_t>(values.size())}; }
};

// As parallel_pool.python.option has it.
const char* KindOf(OptionType type) {
  switch (type) {
    case OptionType::kIntRange:
      return "range";
    case OptionType::kLines:
      return "lines";
    case OptionType::kNumbers:
      return "numbers";
    case OptionType::kEnvArrays:
      return "env_arrays";
    case OptionType::kIntOrString:
      return "int_or_str";
    default:
      return "value";
  }
}

py::list OptionFields(Span<OptionSpec> options) {
  py::list list;
  for (const OptionSpec& o : options) {
    py::list choices;
    for (const char* choice : o.choices) choices.append(choice);
    list.append(py::make_tuple(o.name, o.doc, ToPython(o.initial), o.min, o.max, choices,
                               KindOf(o.initial.type)));
  }
  return list;
}

// As Gymnasium names them.
py::list RenderModes(const Task& task) {
  py::list modes;
  if (task.spec().draws) modes.append("rgb_array");
  if (task.spec().writes) modes.append("ansi");
  return modes;
}

py::list ArraySpecs(Span<ArraySpec> specs) {
  static constexpr const char* kNames[] = {"bool",  "int8",    "uint8",  "int32",
                                           "int64", "float32", "float64"};
  py::list list;
  for (const ArraySpec& spec : specs) {
    const Column column(spec);
    list.append(py::make_tuple(
        column.name, kNames[static_cast<int>(column.dtype)], py::tuple(py::cast(column.shape)),
        column.kind == SpaceKind::kDiscrete, column.low, column.high, column.players));
  }
  return list;
}

// With these options: (arrays of the action, arrays of the state, all options as they are in the
// end, steps a second at which people watch).
py::tuple TaskSpecs(const Task& task, const py::list& options) {
  const OptionValues values(task.spec().options, options);
  Error error;
  const std::unique_ptr<EnvGroup> group(task.MakeGroup(values.span(), 0, &error));
  if (!group) throw py::value_error(std::string(task.spec().id) + ": " + error.text);
  py::list complete;
  for (const OptionValue& value : group->options()) complete.append(ToPython(value));
  return py::make_tuple(ArraySpecs(group->action_spec()), ArraySpecs(group->state_spec()), complete,
                        group->render_fps());
}

std::vector<const Task*> Tasks(const std::string& path) {
  const Family& family = LoadFamily(path);
  return {family.tasks.begin(), family.tasks.end()};
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  ImportNumpy();
  WatchForks();
  m.def("usable_threads", &UsableThreads);
  m.def(
      "check_memory",
      [](const Task& task, const py::list& options, int num_envs) {
        CheckMemory(task, OptionValues(task.spec().options, options).span(), num_envs);
      },
      py::arg("task"), py::arg("options"), py::arg("num_envs"));
  m.def("load_family", &Tasks, py::arg("path"), py::return_value_policy::reference);
  m.def("set_env_error", &SetEnvError, py::arg("type"));

  py::class_<Task, std::unique_ptr<Task, py::nodelete>>(m, "Task")
      .def_property_readonly("id", [](const Task& t) { return t.spec().id; })
      .def_property_readonly("max_episode_steps",
                             [](const Task& t) { return t.spec().max_episode_steps; })
      .def_property_readonly("reward_threshold",
                             [](const Task& t) { return t.spec().reward_threshold; })
      .def_property_readonly("options",
                             [](const Task& t) { return OptionFields(t.spec().options); })
      .def_property_readonly("reset_options",
                             [](const Task& t) { return OptionFields(t.spec().reset_options); })
      .def_property_readonly("render_modes", &RenderModes)
      .def("specs", &TaskSpecs, py::arg("options"));

  py::class_<PythonPool>(m, "Pool")
      .def(py::init([](const Task& task, const py::list& options, int num_envs, int batch_size,
                       int num_threads, int max_episode_steps, int thread_affinity_offset,
                       std::vector<uint64_t> seeds, int autoreset, bool with_timing) {
             return std::make_unique<PythonPool>(
                 task, OptionValues(task.spec().options, options).span(),
                 PoolOptions{num_envs, batch_size, num_threads, max_episode_steps,
                             thread_affinity_offset, std::move(seeds),
                             static_cast<Autoreset>(autoreset)},
                 with_timing);
           }),
           py::arg("task"), py::arg("options"), py::arg("num_envs"), py::arg("batch_size"),
           py::arg("num_threads"), py::arg("max_episode_steps"), py::arg("thread_affinity_offset"),
           py::arg("seeds"), py::arg("autoreset"), py::arg("with_timing"))
      .def("send", &PythonPool::Send, py::arg("action"), py::arg("env_id"))
      .def("recv", &PythonPool::Recv, py::arg("timeout"))
      .def("step", &PythonPool::Step, py::arg("action"), py::arg("env_id"))
      .def(
          "reset",
          [](PythonPool& pool, py::handle env_id, const PythonPool::Seeds& seeds,
             const std::optional<std::vector<uint8_t>>& mask, const py::list& options) {
            const OptionValues values(
                options.empty() ? Span<OptionSpec>() : pool.task().spec().reset_options, options);
            return pool.Reset(env_id, seeds, mask, values.span());
          },
          py::arg("env_id"), py::arg("seeds"), py::arg("mask"), py::arg("options"))
      .def("send_reset", &PythonPool::SendReset, py::arg("env_id"), py::arg("seeds"))
      .def("save", &PythonPool::Save, py::arg("env_id"))
      .def("load", &PythonPool::Load, py::arg("states"), py::arg("env_id"))
      .def("render", &PythonPool::Render, py::arg("env_id"))
      .def("render_text", &PythonPool::RenderText, py::arg("env_id"))
      .def("close", &PythonPool::Close)
      .def_property_readonly("closed", &PythonPool::closed)
      .def_property_readonly("num_threads", &PythonPool::num_threads);
}

}  // namespace parallel_pool
