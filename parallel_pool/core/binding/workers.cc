#include "parallel_pool/core/binding/workers.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "parallel_pool/core/binding/array_fields.h"
#include "parallel_pool/core/binding/local_envs.h"
#include "parallel_pool/core/binding/pool_options.h"
#include "parallel_pool/core/binding/python_calls.h"
#include "parallel_pool/core/binding/python_group.h"
#include "parallel_pool/core/byte_string.h"
#include "parallel_pool/core/engine/errors.h"
#include "parallel_pool/core/engine/forwarding.h"
#include "parallel_pool/core/engine/wrapped.h"
#include "parallel_pool/core/platform/process.h"
#include "parallel_pool/core/workers/processes.h"
#include "parallel_pool/core/workers/runtime_setup.h"
#include "parallel_pool/core/workers/worker.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

const Task& Describe(const std::string& id, const py::list& action, const py::list& state,
                     const py::list& players, const std::vector<std::string>& render_modes,
                     std::pair<int, int> picture, int render_fps, bool can_save) {
  TaskFields description{.id = id,
                         .action = ToArrays(action),
                         .state = ToArrays(state),
                         .players = {},
                         .can_save = can_save,
                         .picture = {picture.first, picture.second},
                         .render_fps = render_fps};
  for (const std::string& mode : render_modes) {
    (mode == "ansi" ? description.can_render_text : description.can_render) = true;
  }
  for (const py::handle& player : players) {
    const auto fields = py::cast<py::tuple>(player);
    description.players.push_back({.name = py::cast<std::string>(fields[0]),
                                   .role = py::cast<std::string>(fields[1]),
                                   .action = ToArrays(py::cast<py::list>(fields[2])),
                                   .state = ToArrays(py::cast<py::list>(fields[3]))});
  }
  static auto& tasks = *new std::deque<RuntimeTask>;  // a task lives as long as the process
  static std::mutex adding;                           // for Pythons without a GIL
  const std::lock_guard lock(adding);
  return tasks.emplace_back(std::move(description));
}

// When process `pid` ends, ends this process and all of its process group, even in the middle of
// an env's C code.
void EndWith(int pid, int lifeline) {
  std::thread([pid, lifeline] {
    platform::WaitForStarter(pid, lifeline);
    platform::KillGroup();
  }).detach();
}

class PythonWorker {
 public:
  PythonWorker(int file, int number, const std::shared_ptr<Setup>& setup, PoolOptions options,
               PythonGroup::Helpers helpers)
      : PythonWorker(file, number, setup, options,
                     std::make_unique<PythonGroup>(*ForwardingSetup::Inner(setup.get()),
                                                   options.num_envs, std::move(helpers))) {}

  PythonGroup& group() { return *group_; }
  // The last observations of an env, if it is wrapped (engine/wrapped.h).
  py::bytes Frames(int env) {
    ByteWriter writer;
    Error error;
    if (!wrapped_->Save(env, writer, &error)) Throw(kFrames, error);
    return py::bytes(writer.written);
  }
  void SetFrames(int env, const std::string& frames) {
    ByteReader reader(frames);
    Error error;
    if (!wrapped_->Load(env, reader, &error)) Throw(kFrames, error);
  }
  std::pair<int, int> envs() const { return {worker_.first_env(), worker_.num_envs()}; }

  // Steps envs. Returns True when a message has come, False when the pool is closed.
  bool Run() {
    while (!worker_.stopped()) {
      if (worker_.MessageIsNext()) return true;
      if (worker_.has_ticket()) {
        worker_.DoOldest();
        continue;
      }
      const py::gil_scoped_release unlocked;
      if (!worker_.Wait()) return false;
    }
    return false;
  }
  // The message was answered.
  void EndMessage() { worker_.EndMessage(); }

 private:
  PythonWorker(int file, int number, const std::shared_ptr<Setup>& setup,
               const PoolOptions& options, std::unique_ptr<PythonGroup> group)
      : setup_(setup),
        group_(group.get()),
        worker_(file, number, setup, options, Wrapped(std::move(group), options)) {
    const auto [first, count] = envs();
    for (int env = first; env < first + count; ++env) {
      Error error;
      if (!wrapped_->Create(env, 0, nullptr, &error)) Throw(setup->task().id, error);
    }
  }

  std::unique_ptr<EnvGroup> Wrapped(std::unique_ptr<EnvGroup> group, const PoolOptions& options) {
    group = WrappedGroupOf(*setup_, std::move(group), options.num_envs);
    wrapped_ = group.get();
    return group;
  }

  static constexpr char kFrames[] = "the last observations";

  const std::shared_ptr<Setup> setup_;
  PythonGroup* const group_;  // the worker's
  EnvGroup* wrapped_;         // the same, or what wraps it
  PoolWorker worker_;
};

// The functions of objects.Group. `Owner` has a group().
template <class Owner, class... More>
void AddEnvs(py::class_<Owner, More...>& type) {
  type.def(
          "set_env",
          [](Owner& o, int env, const py::object& object) { o.group().SetEnv(env, object); },
          py::arg("env"), py::arg("object"))
      .def(
          "set_options",
          [](Owner& o, int env, py::object options) {
            o.group().SetOptions(env, std::move(options));
          },
          py::arg("env"), py::arg("options"))
      .def(
          "last", [](Owner& o, int env) { return o.group().Last(env); }, py::arg("env"))
      .def(
          "set_last",
          [](Owner& o, int env, py::object obs, py::object info) {
            o.group().SetLast(env, std::move(obs), std::move(info));
          },
          py::arg("env"), py::arg("obs"), py::arg("info"));
}

}  // namespace

void AddWorkers(py::module_& m) {
  m.def("describe", &Describe, py::arg("id"), py::arg("action"), py::arg("state"),
        py::arg("players"), py::arg("render_modes"), py::arg("picture"), py::arg("render_fps"),
        py::arg("can_save"), py::return_value_policy::reference);
  m.def("end_with", &EndWith, py::arg("pid"), py::arg("lifeline"));

  py::class_<PoolHost, std::shared_ptr<PoolHost>>(m, "PoolHost")
      .def("times", [](const PoolHost& host) {
        const auto times = host.times();
        py::array_t<int64_t> array({times.size(), size_t{4}});
        for (size_t env = 0; env < times.size(); ++env) {
          array.mutable_at(env, 0) = times[env].steps.value();
          array.mutable_at(env, 1) = times[env].step_ns.value();
          array.mutable_at(env, 2) = times[env].resets.value();
          array.mutable_at(env, 3) = times[env].reset_ns.value();
        }
        return array;
      });

  py::class_<WorkerHost, PoolHost, std::shared_ptr<WorkerHost>>(m, "WorkerHost")
      .def(py::init([](int num_envs, int num_workers, double step_timeout, py::object calls) {
             const std::chrono::duration<double> seconds(step_timeout);
             return std::make_shared<WorkerHost>(
                 num_envs, num_workers,
                 std::chrono::duration_cast<std::chrono::nanoseconds>(seconds),
                 std::make_shared<PythonCalls>(std::move(calls)));
           }),
           py::arg("num_envs"), py::arg("num_workers"), py::arg("step_timeout"), py::arg("calls"))
      .def_property_readonly("file", &WorkerHost::file)
      .def("set_process", &WorkerHost::SetProcess, py::arg("worker"), py::arg("pid"))
      .def("announce", &WorkerHost::Announce, py::arg("worker"))
      .def("seed", &WorkerHost::Seed, py::arg("env"), py::arg("seed"))
      .def("close_files", &WorkerHost::CloseFiles)
      .def("take_lost", [](WorkerHost& processes) {
        py::list lost;
        for (const auto& [worker, why] : processes.TakeLost()) {
          lost.append(py::make_tuple(worker, why));
        }
        return lost;
      });

  py::class_<LocalEnvs, PoolHost, std::shared_ptr<LocalEnvs>> local_envs(m, "LocalEnvs");
  AddEnvs(local_envs);
  local_envs
      .def(py::init([](const std::shared_ptr<Setup>& setup, int num_envs, py::object calls,
                       py::object action_of, py::object arrays_of, py::object encode_info,
                       py::object describe) {
             return std::make_shared<LocalEnvs>(
                 setup, num_envs,
                 PythonGroup::Helpers{std::move(action_of), std::move(arrays_of),
                                      std::move(encode_info), std::move(describe)},
                 std::make_shared<PythonCalls>(std::move(calls)));
           }),
           py::arg("setup"), py::arg("num_envs"), py::arg("calls"), py::arg("action_of"),
           py::arg("arrays_of"), py::arg("encode_info"), py::arg("describe"))
      // The pool's own group has the frames.
      .def(
          "frames", [](LocalEnvs&, int) { return py::bytes(); }, py::arg("env"))
      .def(
          "set_frames", [](LocalEnvs&, int, const py::bytes&) {}, py::arg("env"), py::arg("frames"))
      .def(
          "raised", [](LocalEnvs& e, int env) { return e.group().Raised(env); }, py::arg("env"))
      .def("forget", [](LocalEnvs& e) { e.group().Forget(); });

  py::class_<PythonWorker> worker(m, "Worker");
  AddEnvs(worker);
  worker
      .def(py::init([](int file, int number, const std::shared_ptr<Setup>& setup,
                       const py::dict& config, py::object action_of, py::object arrays_of,
                       py::object encode_info, py::object describe) {
             return std::make_unique<PythonWorker>(
                 file, number, setup, ReadPoolOptions(config),
                 PythonGroup::Helpers{std::move(action_of), std::move(arrays_of),
                                      std::move(encode_info), std::move(describe)});
           }),
           py::arg("file"), py::arg("number"), py::arg("setup"), py::arg("config"),
           py::arg("action_of"), py::arg("arrays_of"), py::arg("encode_info"), py::arg("describe"))
      .def("frames", &PythonWorker::Frames, py::arg("env"))
      .def("set_frames", &PythonWorker::SetFrames, py::arg("env"), py::arg("frames"))
      .def_property_readonly("envs", &PythonWorker::envs)
      .def("run", &PythonWorker::Run)
      .def("end_message", &PythonWorker::EndMessage);
}

}  // namespace parallel_pool
