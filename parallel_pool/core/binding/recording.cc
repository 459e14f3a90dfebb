#include "parallel_pool/core/binding/recording.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/binding/numpy_api.h"
#include "parallel_pool/core/binding/python_pool.h"
#include "parallel_pool/core/engine/digest.h"
#include "parallel_pool/core/engine/recorder.h"
#include "parallel_pool/core/engine/replayer.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

// The actions of envs, by array: a row for each env, or for each of its players.
py::dict ActionsOf(Pool& pool, const std::vector<int32_t>& envs) {
  py::dict all;
  for (size_t k = 0; k < pool.actions().arrays().size(); ++k) {
    const Column& array = pool.actions().arrays()[k];
    // The envs of one call have rows of one type.
    const std::byte* const all_rows = pool.actions().rows()[k];
    const bool has_doubles =
        !envs.empty() && array.has_doubles(all_rows + envs[0] * array.row_bytes());
    const DType dtype = has_doubles ? DType::kFloat64 : array.dtype;
    const int64_t bytes = array.shape_size() * ItemBytes(dtype);
    int64_t rows = 0;
    for (const int32_t env : envs) rows += array.players > 0 ? pool.players(env) : 1;
    std::vector<py::ssize_t> shape{rows};
    shape.insert(shape.end(), array.shape.begin(), array.shape.end());
    py::object made =
        Own(PyArray_SimpleNew(static_cast<int>(shape.size()), shape.data(), NumpyType(dtype)));
    auto* to = static_cast<std::byte*>(PyArray_DATA(Array(made)));
    for (const int32_t env : envs) {
      const int64_t own = (array.players > 0 ? pool.players(env) : 1) * bytes;
      std::memcpy(to, all_rows + env * array.row_bytes(), own);
      to += own;
    }
    all[py::str(array.name)] = std::move(made);
  }
  return all;
}

// A Replayer of a pool, which has sent what its results are.
class PythonReplayer {
 public:
  PythonReplayer(py::object pool, bool async, const std::vector<int32_t>& envs, bool of_format_1)
      : owner_(std::move(pool)),
        pool_(owner_.cast<PythonPool&>()),
        replayer_(pool_.pool(), async, envs, of_format_1),
        of_format_1_(of_format_1) {}

  // The next batch, or None.
  py::object Next() {
    auto result = pool_.Play(replayer_, [&](Pool& pool, const Batch* batch) {
      if (batch == nullptr) {
        actions_ = ActionsOf(pool, replayer_.envs());
      } else {
        ReadDigest(pool.layout(), *batch);
      }
    });
    if (!result) return py::none();
    return *std::move(result);
  }
  void Feed(std::string calls, std::optional<int64_t> first) {
    replayer_.Feed(std::move(calls), first);
  }

  const Replayer& replayer() const { return replayer_; }
  void AddSetup(std::shared_ptr<Setup> setup) { replayer_.AddSetup(std::move(setup)); }
  const py::dict& actions() const { return actions_; }
  std::optional<uint64_t> digest() const { return digest_; }

 private:
  void ReadDigest(const BatchLayout& layout, const Batch& batch) {
    digest_.reset();
    if (!replayer_.is_whole() || replayer_.number() < replayer_.live_from()) return;
    const bool is_last = (replayer_.number() + 1) % kDigestEvery == 0;
    if (of_format_1_) {
      if (is_last) digest_ = DigestOf(layout, batch);
      return;
    }
    if (replayer_.number() != last_digested_ + 1) run_digest_.Take();  // after a seek
    last_digested_ = replayer_.number();
    run_digest_.Add(DigestOf(layout, batch));
    if (!is_last) return;
    const bool has_all = run_digest_.count() == kDigestEvery;
    const uint64_t digest = run_digest_.Take();
    if (has_all) digest_ = digest;
  }

  const py::object owner_;
  PythonPool& pool_;
  Replayer replayer_;
  py::dict actions_;
  const bool of_format_1_;  // whose digests are of each 64th result alone
  RunDigest run_digest_;
  int64_t last_digested_ = -1;  // the number of the last result of `run_digest_`
  std::optional<uint64_t> digest_;
};

template <class T>
py::array_t<T> ToArray(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

}  // namespace

// (parts, setups, results, seconds of the last keyframe); see _core.pyi.
py::tuple PythonPool::TakeRecording() {
  const py::scoped_critical_section one_thread(lock_);
  if (recorder_ == nullptr) throw std::runtime_error(task_ + ": nothing is recorded");
  Recorder::Taken taken = recorder_->Take();
  py::list parts, setups;
  for (const Recorder::Part& part : taken.parts) {
    py::list digests;
    for (const auto& [number, digest] : part.digests)
      digests.append(py::make_tuple(number, digest));
    parts.append(py::make_tuple(part.first, part.begins_keyframe, py::bytes(part.calls), digests));
  }
  for (const auto& [env, setup] : taken.setups) {
    setups.append(py::make_tuple(env, std::const_pointer_cast<Setup>(setup)));
  }
  return py::make_tuple(parts, setups, taken.results, taken.keyframe_seconds);
}

void PythonPool::StartRecording() {
  const py::scoped_critical_section one_thread(lock_);
  const CallGuard sender(&callers_.sending, task_, kSending);
  CheckUsable();
  auto recorder = std::make_unique<Recorder>(*pool_);
  recorder_ = recorder.get();
  pool_->SetObserver(std::move(recorder));
}

void PythonPool::StopRecording() {
  const py::scoped_critical_section one_thread(lock_);
  const CallGuard sender(&callers_.sending, task_, kSending);
  recorder_ = nullptr;
  pool_->SetObserver(nullptr);
}

void PythonPool::RequestKeyframe() {
  const py::scoped_critical_section one_thread(lock_);
  if (recorder_ != nullptr) recorder_->RequestKeyframe();
}

std::optional<py::tuple> PythonPool::Play(Replayer& replayer, const Watch& watch) {
  const py::scoped_critical_section one_thread(lock_);
  if (interrupted_) DropInFlight();
  {
    const CallGuard sender(&callers_.sending, task_, kSending);
    CheckUsable();
    if (!replayer.Next()) return std::nullopt;
    watch(*pool_, nullptr);
  }
  const CallGuard receiver(&callers_.receiving, task_, kReceiving);
  return Receive(std::nullopt, watch);
}

void AddReplayer(py::module_& m) {
  py::class_<PythonReplayer>(m, "Replayer")
      .def(py::init<py::object, bool, const std::vector<int32_t>&, bool>(), py::arg("pool"),
           py::arg("is_async"), py::arg("envs"), py::arg("of_format_1"))
      .def(
          "feed",
          [](PythonReplayer& r, const py::bytes& calls, std::optional<int64_t> first) {
            r.Feed(std::string(calls), first);
          },
          py::arg("calls"), py::arg("first"))
      .def("add_setup", &PythonReplayer::AddSetup, py::arg("setup"))
      .def("next", &PythonReplayer::Next)
      .def_property_readonly("number",
                             [](const PythonReplayer& r) { return r.replayer().number(); })
      .def_property_readonly("envs",
                             [](const PythonReplayer& r) { return ToArray(r.replayer().envs()); })
      .def_property_readonly("resets",
                             [](const PythonReplayer& r) { return ToArray(r.replayer().resets()); })
      .def_property_readonly("live_from",
                             [](const PythonReplayer& r) { return r.replayer().live_from(); })
      .def_property_readonly("actions", &PythonReplayer::actions)
      .def_property_readonly("digest", &PythonReplayer::digest);
}

}  // namespace parallel_pool
