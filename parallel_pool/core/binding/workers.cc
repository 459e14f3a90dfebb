#include "parallel_pool/core/binding/workers.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "parallel_pool/core/binding/local_envs.h"
#include "parallel_pool/core/binding/pool_options.h"
#include "parallel_pool/core/binding/python_calls.h"
#include "parallel_pool/core/binding/python_worker.h"
#include "parallel_pool/core/workers/processes.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

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

void AddHosts(py::module_& m) {
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
}

void AddLocalEnvs(py::module_& m) {
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
}

void AddWorker(py::module_& m) {
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

}  // namespace

void AddWorkers(py::module_& m) {
  m.def("end_with", &EndWith, py::arg("pid"), py::arg("lifeline"));
  AddHosts(m);
  AddLocalEnvs(m);
  AddWorker(m);
}

}  // namespace parallel_pool
