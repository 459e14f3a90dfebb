// parallel_pool.core._core: families, tasks and pools for Python. The rest of the package adds
// names, spaces and the three APIs.
//
// By pybind11, not CPython's own functions: its dispatch is a tenth of the instructions of a step()
// of one CartPole. Arrays, dicts and the batch are the rest.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#define PARALLEL_POOL_IMPORT_NUMPY
#include "parallel_pool/core/binding/array_fields.h"
#include "parallel_pool/core/binding/describe.h"
#include "parallel_pool/core/binding/host.h"
#include "parallel_pool/core/binding/numpy_api.h"
#include "parallel_pool/core/binding/option_values.h"
#include "parallel_pool/core/binding/pictures.h"
#include "parallel_pool/core/binding/pool_options.h"
#include "parallel_pool/core/binding/process_state.h"
#include "parallel_pool/core/binding/python_pool.h"
#include "parallel_pool/core/binding/recording.h"
#include "parallel_pool/core/binding/remote_envs.h"
#include "parallel_pool/core/binding/replay.h"
#include "parallel_pool/core/binding/returns.h"
#include "parallel_pool/core/binding/sampler.h"
#include "parallel_pool/core/binding/step_arrays.h"
#include "parallel_pool/core/binding/workers.h"
#include "parallel_pool/core/binding/xla.h"
#include "parallel_pool/core/engine/errors.h"
#include "parallel_pool/core/engine/family.h"
#include "parallel_pool/core/engine/guarded.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/engine/pool_host.h"
#include "parallel_pool/core/machine/limits.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

py::list OptionFields(Span<OptionSpec> options) {
  py::list list;
  for (const OptionSpec& o : options) {
    py::list choices;
    for (const char* choice : o.choices) choices.append(choice);
    const OptionType type = o.initial.type;
    const bool has_count = type == OptionType::kNumbers || type == OptionType::kNumbersByName ||
                           type == OptionType::kNumbersByInt;
    list.append(py::make_tuple(o.name, o.doc, ToPython(o.initial), o.min, o.max, choices,
                               NameOf(type), has_count ? o.initial.integer : 0));
  }
  return list;
}

OptionSpecs OptionsOf(const Task& task) {
  OptionSpecs specs;
  Error error;
  if (!task.GetOptions(&specs, &error)) Throw(task.spec().id, error);
  return specs;
}

// The render modes of a task, by Gymnasium's names.
py::list RenderModes(const Task& task) {
  py::list modes;
  if (task.spec().can_render) {
    modes.append("rgb_array");
    modes.append("human");  // a window, which Python opens
  }
  if (task.spec().can_render_text) modes.append("ansi");
  return modes;
}

std::shared_ptr<Setup> Configure(const Task& task, const py::list& options, const Setup* like) {
  const OptionValues values(OptionsOf(task).options, options);
  Error error;
  std::shared_ptr<Setup> setup(task.Configure(values.span(), like, &error));
  if (!setup) Throw(task.spec().id, error);
  return setup;
}

py::list CompleteOptions(const Setup& setup) {
  py::list values;
  for (const OptionValue& value : setup.options()) values.append(ToPython(value));
  return values;
}

// (height, width) of its pictures, or None.
py::object RenderSize(const Setup& setup) {
  ImageSize size{};
  Error error;
  if (!setup.task().can_render || !setup.GetRenderSize(&size, &error)) return py::none();
  return py::make_tuple(size.height, size.width);
}

// (rewards, terminated, truncated) of steps with these goals: (rows, goal_size) -> (rows,).
py::tuple JudgeGoals(const Setup& setup, const py::array_t<double, py::array::c_style>& achieved,
                     const py::array_t<double, py::array::c_style>& desired) {
  const auto rows = achieved.shape(0);
  std::vector<Outcome> outcomes(rows);
  {
    const py::gil_scoped_release unlocked;
    setup.JudgeGoals(achieved.data(), desired.data(), rows, outcomes.data());
  }
  py::array_t<double> reward(rows);
  py::array_t<bool> terminated(rows), truncated(rows);
  for (py::ssize_t k = 0; k < rows; ++k) {
    reward.mutable_at(k) = outcomes[k].reward;
    terminated.mutable_at(k) = outcomes[k].terminated;
    truncated.mutable_at(k) = outcomes[k].truncated;
  }
  return py::make_tuple(reward, terminated, truncated);
}

std::vector<const Task*> Tasks(const std::string& path) {
  const Family& family = LoadFamily(path, PythonHost());
  return {family.tasks.begin(), family.tasks.end()};
}

}  // namespace

// Its functions rely on no GIL: pools lock themselves (python_pool.h), and so does all other
// code with state, here or in Python.
PYBIND11_MODULE(_core, m, py::mod_gil_not_used()) {
  if (_import_array() < 0) throw py::error_already_set();
  WatchForks();
  m.def("end_interpreter", &EndInterpreter);
  m.def("usable_processors", &UsableProcessors);
  m.def("usable_threads", &UsableThreads);
  m.def("resized", &Resized, py::arg("pictures"), py::arg("height"), py::arg("width"));
  m.def("load_family", &Tasks, py::arg("path"), py::return_value_policy::reference);
  m.def("join", &Join, py::arg("id"), py::arg("parts"), py::arg("action"), py::arg("state"));
  m.def("wrap", &Wrap, py::arg("setup"), py::arg("action"), py::arg("state"), py::arg("parts"));
  m.def(
      "guarded",
      // `marks`: int32, three for each env, which must live as long as the envs; or None.
      [](std::shared_ptr<Setup> setup, const py::object& marks, bool one_by_one) {
        void* const data = marks.is_none() ? nullptr : py::buffer(marks).request(true).ptr;
        return Guarded(std::move(setup), static_cast<EnvMark*>(data), one_by_one);
      },
      py::arg("setup"), py::arg("marks"), py::arg("one_by_one"));
  m.def("pool_option_names", &PoolOptionNames);
  m.def("set_env_error", &SetEnvError, py::arg("type"));

  py::class_<Task, std::unique_ptr<Task, py::nodelete>>(m, "Task")
      .def_property_readonly("id", [](const Task& t) { return t.spec().id; })
      .def_property_readonly("suite", [](const Task& t) { return t.spec().suite; })
      .def_property_readonly("twin_of", [](const Task& t) { return t.spec().twin_of; })
      .def_property_readonly("max_episode_steps",
                             [](const Task& t) { return t.spec().max_episode_steps; })
      .def_property_readonly("reward_threshold",
                             [](const Task& t) { return t.spec().reward_threshold; })
      .def_property_readonly("options",
                             [](const Task& t) { return OptionFields(OptionsOf(t).options); })
      .def_property_readonly("reset_options",
                             [](const Task& t) { return OptionFields(OptionsOf(t).reset_options); })
      .def_property_readonly("render_modes", &RenderModes)
      .def_property_readonly("turn_based", [](const Task& t) { return t.spec().turn_based; })
      .def("configure", &Configure, py::arg("options"), py::arg("like"));

  py::class_<Setup, std::shared_ptr<Setup>>(m, "Setup")
      .def_property_readonly("action_arrays",
                             [](const Setup& s) { return ArrayFields(s.action_spec()); })
      .def_property_readonly("state_arrays",
                             [](const Setup& s) { return ArrayFields(s.state_spec()); })
      .def_property_readonly("options", &CompleteOptions)
      .def_property_readonly("most_players", &Setup::most_players)
      .def_property_readonly("players", [](const Setup& s) { return PlayerFields(s.players()); })
      .def_property_readonly("has_constant_players", &Setup::has_constant_players)
      .def_property_readonly("is_deterministic", &Setup::is_deterministic)
      .def_property_readonly("remark", &Setup::remark)
      .def_property_readonly("goal_size", &Setup::goal_size)
      .def("judge_goals", &JudgeGoals, py::arg("achieved"), py::arg("desired"))
      .def_property_readonly("render_fps", &Setup::render_fps)
      .def_property_readonly("render_size", &RenderSize)
      .def("check_memory", &CheckMemory, py::arg("num_envs"));

  AddReplay(m);
  AddReturns(m);
  AddSampler(m);
  AddDescribe(m);
  AddWorkers(m);
  AddXla(m);
  py::class_<StepArrays>(m, "StepArrays");

  py::class_<PythonPool>(m, "Pool")
      .def(py::init([](const std::shared_ptr<Setup>& setup, const py::dict& config,
                       std::vector<uint64_t> seeds, const EnvOptionsList& env_options,
                       bool with_timing, bool unbatched, bool texts_are_str,
                       std::shared_ptr<PoolHost> host) {
             PoolOptions options = ReadPoolOptions(config);
             options.seeds = std::move(seeds);
             options.envs = ToEnvOptions(env_options);
             options.page_locks = ReadPageLocks(*setup, config);
             return std::make_unique<PythonPool>(setup, std::move(options),
                                                 BatchForm{.with_timing = with_timing,
                                                           .unbatched = unbatched,
                                                           .texts_are_str = texts_are_str},
                                                 std::move(host));
           }),
           py::arg("setup"), py::arg("config"), py::arg("seeds"), py::arg("env_options"),
           py::arg("with_timing"), py::arg("unbatched"), py::arg("texts_are_str"),
           py::arg("host") = nullptr)
      .def("send", &PythonPool::Send, py::arg("action"), py::arg("env_id"))
      .def("recv", &PythonPool::Recv, py::arg("timeout"), py::arg("partial") = false)
      .def("step", &PythonPool::Step, py::arg("action"), py::arg("env_id"))
      .def("step_into", &PythonPool::StepInto, py::arg("action"), py::arg("arrays"),
           py::arg("step"))
      .def_property_readonly("can_step_into", &PythonPool::can_step_into)
      .def("step_arrays", &PythonPool::MakeStepArrays, py::arg("arrays"))
      .def(
          "reset",
          [](PythonPool& pool, py::handle env_id, const PythonPool::Seeds& seeds,
             const std::optional<std::vector<uint8_t>>& mask, const py::list& options,
             const EnvOptionsList& env_options) {
            const OptionValues values(pool.reset_options(), options);
            return pool.Reset(env_id, seeds, mask, values.span(), ToEnvOptions(env_options));
          },
          py::arg("env_id"), py::arg("seeds"), py::arg("mask"), py::arg("options"),
          py::arg("env_options"))
      .def(
          "queue",
          [](PythonPool& pool, py::handle env_id, const PythonPool::Seeds& seeds,
             const py::list& options, const EnvOptionsList& env_options) {
            const OptionValues values(pool.reset_options(), options);
            pool.Prepare(env_id, seeds, values.span(), ToEnvOptions(env_options));
          },
          py::arg("env_id"), py::arg("seeds"), py::arg("options"), py::arg("env_options"))
      .def("send_reset", &PythonPool::SendReset, py::arg("env_id"), py::arg("seeds"),
           py::arg("mask") = py::none())
      .def("save", &PythonPool::Save, py::arg("env_id"))
      .def(
          "load",
          [](PythonPool& pool, const py::list& states, py::handle env_id,
             const EnvOptionsList& env_options) {
            pool.Load(states, env_id, ToEnvOptions(env_options));
          },
          py::arg("states"), py::arg("env_id"), py::arg("env_options"))
      .def("save_queued", &PythonPool::SavePrepared, py::arg("env_id"))
      .def(
          "load_queued",
          [](PythonPool& pool, const py::list& prepared, py::handle env_id,
             const EnvOptionsList& env_options) {
            pool.LoadPrepared(prepared, env_id, ToEnvOptions(env_options));
          },
          py::arg("queued"), py::arg("env_id"), py::arg("env_options"))
      .def_property_readonly("ended", &PythonPool::ended)
      .def_property_readonly("in_flight", &PythonPool::in_flight)
      .def_property_readonly("moves", &PythonPool::moves)
      .def("statistics", &PythonPool::Statistics)
      .def("load_statistics", &PythonPool::LoadStatistics, py::arg("statistics"))
      .def_property_readonly("env_options",
                             [](const PythonPool& p) { return FromEnvOptions(p.env_options()); })
      .def("render", &PythonPool::Render, py::arg("env_id"))
      .def("render_text", &PythonPool::RenderText, py::arg("env_id"))
      .def("bodies", &PythonPool::Bodies, py::arg("env_id"), py::arg("with_shapes"))
      .def("stats",
           [](const PythonPool& pool) {
             const PoolStats stats = pool.stats();
             py::dict shown;
             shown["steps"] = stats.steps;
             shown["resets"] = stats.resets;
             shown["episodes"] = stats.episodes;
             shown["batches"] = stats.batches;
             return shown;
           })
      .def(
          "start_profile",
          [](PythonPool& pool, double seconds) {
            const std::chrono::duration<double> limit(std::min(seconds, 1e9));
            return pool.StartProfile(std::chrono::duration_cast<std::chrono::nanoseconds>(limit));
          },
          py::arg("seconds"))
      .def("stop_profile", &PythonPool::StopProfile, py::arg("number"))
      .def("read_profile", &PythonPool::ReadProfile, py::arg("number"))
      // As a backend: a pool of the engine is its own core_pool.
      .def_property_readonly("core_pool", [](py::object pool) { return pool; })
      .def_property_readonly("host", [](const PythonPool&) { return py::none(); })
      .def(
          "finish", [](const PythonPool&, py::tuple batch) { return batch; }, py::arg("batch"))
      .def("start_recording", &PythonPool::StartRecording)
      .def("take_recording", &PythonPool::TakeRecording)
      .def("request_keyframe", &PythonPool::RequestKeyframe)
      .def("stop_recording", &PythonPool::StopRecording)
      .def("check_usable", &PythonPool::CheckUsable)
      .def("close", &PythonPool::Close)
      .def_property_readonly("closed", &PythonPool::closed);

  AddReplayer(m);
  py::class_<RemoteEnvs>(m, "RemoteEnvs")
      .def(py::init([](const Setup& setup, const py::dict& config) {
             return std::make_unique<RemoteEnvs>(setup, ReadPoolOptions(config));
           }),
           py::arg("setup"), py::arg("config"))
      .def("send", &RemoteEnvs::Send, py::arg("action"), py::arg("env_id"))
      .def("send_reset", &RemoteEnvs::SendReset, py::arg("env_id"))
      .def("idle", &RemoteEnvs::Idle, py::arg("env_id"))
      .def("action_of", &RemoteEnvs::ActionOf, py::arg("envs"))
      .def_property_readonly("fills_batch", &RemoteEnvs::FillsBatch)
      .def("check_recv", &RemoteEnvs::CheckRecv, py::arg("timeout"), py::arg("partial") = false)
      .def_property_readonly("ended", &RemoteEnvs::ended)
      .def_property_readonly("in_flight", &RemoteEnvs::pending_rows)
      .def("time_out", &RemoteEnvs::TimeOut, py::arg("seconds"))
      .def("receive", &RemoteEnvs::Receive, py::arg("envs"), py::arg("running"), py::arg("players"))
      .def("begin", &RemoteEnvs::Begin, py::arg("envs"));
}

}  // namespace parallel_pool
