// parallel_pool.core._core: families, tasks and pools for Python. The rest of the package adds
// names, spaces and the three APIs.
#include <pthread.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/affinity.h"
#include "parallel_pool/core/family.h"
#include "parallel_pool/core/numpy_io.h"
#include "parallel_pool/core/pool.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;
using std::chrono::nanoseconds;

constexpr auto kSignalCheck = std::chrono::milliseconds(50);  // how late a Ctrl-C may be seen
constexpr auto kNotWorthUnlocking = std::chrono::microseconds(20);

py::handle env_error;                 // the Python class EnvError
std::atomic<int> fork_generation{0};  // raised in every forked child

py::object ToPython(const OptionValue& value) {
  switch (value.type) {
    case OptionType::kBool:
      return py::bool_(value.integer != 0);
    case OptionType::kInt:
      return py::int_(value.integer);
    case OptionType::kFloat:
      return py::float_(value.real);
    case OptionType::kString:
      break;
  }
  return py::str(value.text);
}

// One value for each option of a task, of the right types; owns their texts.
struct OptionValues {
  std::vector<OptionValue> values;
  std::vector<std::string> texts;

  OptionValues(const Task& task, const py::list& given) {
    const Span<OptionSpec> options = task.spec().options;
    texts.resize(options.size);
    for (int32_t i = 0; i < options.size; ++i) {
      OptionValue value = options[i].initial;
      switch (value.type) {
        case OptionType::kBool:
        case OptionType::kInt:
          value.integer = py::cast<int64_t>(given[i]);
          break;
        case OptionType::kFloat:
          value.real = py::cast<double>(given[i]);
          break;
        case OptionType::kString:
          texts[i] = py::cast<std::string>(given[i]);
          value.text = texts[i].c_str();
          break;
      }
      values.push_back(value);
    }
  }
  Span<OptionValue> span() const { return {values.data(), static_cast<int32_t>(values.size())}; }
};

py::list TaskOptions(const Task& task) {
  py::list list;
  for (const OptionSpec& o : task.spec().options) {
    list.append(py::make_tuple(o.name, o.doc, ToPython(o.initial), o.min, o.max));
  }
  return list;
}

py::list ArraySpecs(Span<ArraySpec> specs) {
  static constexpr const char* kNames[] = {"bool", "uint8", "int32", "int64", "float32", "float64"};
  py::list list;
  for (const ArraySpec& spec : specs) {
    const Column column(spec);
    list.append(py::make_tuple(column.name, kNames[static_cast<int>(column.dtype)],
                               py::tuple(py::cast(column.shape)),
                               column.kind == SpaceKind::kDiscrete, column.low, column.high));
  }
  return list;
}

// (arrays of the action, arrays of the state) with these options.
py::tuple TaskSpecs(const Task& task, const py::list& options) {
  const OptionValues values(task, options);
  Error error;
  const std::unique_ptr<EnvGroup> group(task.MakeGroup(values.span(), 0, &error));
  if (!group) throw py::value_error(std::string(task.spec().id) + ": " + error.text);
  return py::make_tuple(ArraySpecs(group->action_spec()), ArraySpecs(group->state_spec()));
}

// A Pool that Python threads, signals, forks and the garbage collector may meet at any time.
class PythonPool {
 public:
  PythonPool(const Task& task, const py::list& options, PoolOptions pool_options, bool with_timing)
      : task_(task.spec().id),
        generation_(fork_generation),
        ids_(task_, pool_options.num_envs),
        pool_(Make(task, OptionValues(task, options), std::move(pool_options))),
        reader_(pool_->columns()),
        with_timing_(with_timing) {}

  ~PythonPool() {
    if (generation_ != fork_generation) {
      pool_->Abandon();
      pool_.release();
    } else {
      Close();
    }
  }

  void Send(py::handle action, py::handle env_id) { SendStep(action, env_id, false); }

  py::tuple Recv(std::optional<double> timeout) {
    CheckUsable();
    pool_->CheckPending(0);
    return Receive(timeout);
  }

  py::tuple Step(py::handle action, py::handle env_id) {
    SendStep(action, env_id, true);
    return Receive(std::nullopt);
  }

  // `seeds`: None or one for each env named.
  void SendReset(py::handle env_id, const std::optional<std::vector<uint64_t>>& seeds,
                 bool then_recv) {
    CheckUsable();
    const auto ids = ids_.Read(env_id);
    if (then_recv) pool_->CheckPending(static_cast<int>(ids.size()));
    pool_->Claim(ids);
    for (size_t i = 0; seeds && i < ids.size(); ++i) pool_->Seed(ids[i], seeds->at(i));
    pool_->Send(ids, true);
  }

  py::tuple Reset(py::handle env_id, const std::optional<std::vector<uint64_t>>& seeds) {
    SendReset(env_id, seeds, true);
    return Receive(std::nullopt);
  }

  void Close() {
    if (pool_->closed() || closing_) return;
    closing_ = true;
    const py::gil_scoped_release unlocked;
    while (receiving_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    pool_->Close();
  }

  bool closed() const { return closing_; }
  int num_threads() const { return pool_->options().num_threads; }

 private:
  static std::unique_ptr<Pool> Make(const Task& task, const OptionValues& values,
                                    PoolOptions options) {
    const py::gil_scoped_release unlocked;
    return std::make_unique<Pool>(task, values.span(), std::move(options));
  }

  void CheckUsable() const {
    if (generation_ != fork_generation) {
      throw std::runtime_error(task_ +
                               ": this pool was made before a fork() and its threads are in "
                               "the parent process: make the pool in the child");
    }
    if (closing_) throw std::runtime_error(task_ + ": the pool is closed");
  }

  void SendStep(py::handle action, py::handle env_id, bool then_recv) {
    CheckUsable();
    const auto ids = ids_.Read(env_id);
    ReadActions(task_, action, pool_->actions().arrays(), ids.size(), &arrays_);
    if (then_recv) pool_->CheckPending(static_cast<int>(ids.size()));
    pool_->Claim(ids);
    try {
      for (size_t k = 0; k < arrays_.size(); ++k) pool_->actions().Store(k, arrays_[k].input, ids);
    } catch (...) {
      pool_->Unclaim(ids);
      throw;
    }
    pool_->Send(ids, false);
    arrays_.clear();
  }

  py::tuple Receive(std::optional<double> timeout) {
    if (receiving_) throw std::runtime_error(task_ + ": another thread is in recv() of this pool");
    receiving_ = true;
    const std::unique_ptr<std::atomic<bool>, void (*)(std::atomic<bool>*)> guard(
        &receiving_, [](std::atomic<bool>* receiving) { *receiving = false; });
    Batch* batch = nullptr;
    if (!pool_->BusyFor(kNotWorthUnlocking)) batch = pool_->Recv(kNotWorthUnlocking);
    if (batch == nullptr) batch = Await(timeout);
    pool_->Accept(*batch);
    const std::vector<Failure>& failures = batch->failures();
    if (failures.empty()) return Result(reader_.Read(batch));
    Raise(std::vector<Failure>(failures), Result(reader_.Read(batch)));
  }

  // The next batch, with the GIL released while it waits.
  Batch* Await(std::optional<double> timeout) {
    const auto deadline =
        timeout ? Clock::now() + nanoseconds(static_cast<int64_t>(std::min(*timeout, 1e9) * 1e9))
                : Clock::time_point::max();
    for (;;) {
      const nanoseconds slice = std::min<nanoseconds>(kSignalCheck, deadline - Clock::now());
      {
        const py::gil_scoped_release unlocked;
        if (Batch* batch = pool_->Recv(std::max(slice, nanoseconds(0)))) return batch;
      }
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (closing_) throw std::runtime_error(task_ + ": the pool was closed during recv()");
      if (Clock::now() >= deadline) {
        PyErr_SetString(PyExc_TimeoutError,
                        (task_ + ": no batch within " + std::to_string(*timeout) + " s").c_str());
        throw py::error_already_set();
      }
    }
  }

  // (obs, reward, terminated, truncated, info), and (discount, first) if asked for.
  py::tuple Result(const BatchReader::Parts& p) const {
    if (!with_timing_) {
      return py::make_tuple(p.obs, p.others[0], p.others[1], p.others[2], p.info);
    }
    return py::make_tuple(p.obs, p.others[0], p.others[1], p.others[2], p.info, p.others[3],
                          p.others[4]);
  }

  [[noreturn]] void Raise(std::vector<Failure> failures, const py::tuple& result) const {
    std::sort(failures.begin(), failures.end(),
              [](const Failure& a, const Failure& b) { return a.row < b.row; });
    const Failure& f = failures.front();
    std::string text = task_ + " env " + std::to_string(f.env) + " step " +
                       std::to_string(f.elapsed_step) + ": " + f.what;
    if (failures.size() > 1) {
      text += " (and " + std::to_string(failures.size() - 1) + " more envs of this batch)";
    }
    py::list env_ids;
    for (const Failure& failure : failures) env_ids.append(failure.env);
    const py::object error = env_error(text, env_ids, result);
    PyErr_SetObject(env_error.ptr(), error.ptr());
    throw py::error_already_set();
  }

  const std::string task_;
  const int generation_;
  EnvIds ids_;
  std::vector<HeldArray> arrays_;
  std::unique_ptr<Pool> pool_;
  const BatchReader reader_;
  const bool with_timing_;
  std::atomic<bool> receiving_{false};
  std::atomic<bool> closing_{false};
};

std::vector<const Task*> Tasks(const std::string& path) {
  const Family& family = LoadFamily(path);
  return {family.tasks.begin(), family.tasks.end()};
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  ImportNumpy();
  pthread_atfork(nullptr, nullptr, [] { ++fork_generation; });
  m.def("usable_threads", &UsableThreads);
  m.def("load_family", &Tasks, py::arg("path"), py::return_value_policy::reference);
  m.def("set_env_error", [](py::object type) { env_error = type.release(); });

  py::class_<Task, std::unique_ptr<Task, py::nodelete>>(m, "Task")
      .def_property_readonly("id", [](const Task& t) { return t.spec().id; })
      .def_property_readonly("max_episode_steps",
                             [](const Task& t) { return t.spec().max_episode_steps; })
      .def_property_readonly("reward_threshold",
                             [](const Task& t) { return t.spec().reward_threshold; })
      .def_property_readonly("options", &TaskOptions)
      .def("specs", &TaskSpecs, py::arg("options"));

  py::class_<PythonPool>(m, "Pool")
      .def(py::init([](const Task& task, const py::list& options, int num_envs, int batch_size,
                       int num_threads, int max_episode_steps, int thread_affinity_offset,
                       std::vector<uint64_t> seeds, bool with_timing) {
             return std::make_unique<PythonPool>(
                 task, options,
                 PoolOptions{num_envs, batch_size, num_threads, max_episode_steps,
                             thread_affinity_offset, std::move(seeds)},
                 with_timing);
           }),
           py::arg("task"), py::arg("options"), py::arg("num_envs"), py::arg("batch_size"),
           py::arg("num_threads"), py::arg("max_episode_steps"), py::arg("thread_affinity_offset"),
           py::arg("seeds"), py::arg("with_timing"))
      .def("send", &PythonPool::Send, py::arg("action"), py::arg("env_id"))
      .def("recv", &PythonPool::Recv, py::arg("timeout"))
      .def("step", &PythonPool::Step, py::arg("action"), py::arg("env_id"))
      .def("reset", &PythonPool::Reset, py::arg("env_id"), py::arg("seeds"))
      .def(
          "send_reset",
          [](PythonPool& p, py::handle env_id, const std::optional<std::vector<uint64_t>>& seeds) {
            p.SendReset(env_id, seeds, false);
          },
          py::arg("env_id"), py::arg("seeds"))
      .def("close", &PythonPool::Close)
      .def_property_readonly("closed", &PythonPool::closed)
      .def_property_readonly("num_threads", &PythonPool::num_threads);
}

}  // namespace parallel_pool
