#include "parallel_pool/core/binding/python_worker.h"

#include <thread>

#include "parallel_pool/core/byte_string.h"
#include "parallel_pool/core/engine/errors.h"
#include "parallel_pool/core/engine/forwarding.h"
#include "parallel_pool/core/engine/wrapped.h"
#include "parallel_pool/core/platform/process.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

constexpr char kFrames[] = "the last observations";

}  // namespace

void EndWith(int pid, int lifeline) {
  std::thread([pid, lifeline] {
    platform::WaitForStarter(pid, lifeline);
    platform::KillGroup();
  }).detach();
}

PythonWorker::PythonWorker(int file, int number, const std::shared_ptr<Setup>& setup,
                           const PoolOptions& options, PythonGroup::Helpers helpers)
    : PythonWorker(file, number, setup, options,
                   std::make_unique<PythonGroup>(*ForwardingSetup::Inner(setup.get()),
                                                 options.num_envs, std::move(helpers))) {}

PythonWorker::PythonWorker(int file, int number, const std::shared_ptr<Setup>& setup,
                           const PoolOptions& options, std::unique_ptr<PythonGroup> group)
    : setup_(setup),
      group_(group.get()),
      worker_(file, number, setup, options, Wrap(std::move(group), options.num_envs)) {
  const auto [first, count] = envs();
  for (int env = first; env < first + count; ++env) {
    Error error;
    if (!wrapped_->Create(env, 0, nullptr, &error)) Throw(setup->task().id, error);
  }
}

std::unique_ptr<EnvGroup> PythonWorker::Wrap(std::unique_ptr<EnvGroup> group, int num_envs) {
  group = WrappedGroupOf(*setup_, std::move(group), num_envs);
  wrapped_ = group.get();
  return group;
}

py::bytes PythonWorker::Frames(int env) {
  ByteWriter writer;
  Error error;
  if (!wrapped_->Save(env, writer, &error)) Throw(kFrames, error);
  return py::bytes(writer.written);
}

void PythonWorker::SetFrames(int env, const std::string& frames) {
  ByteReader reader(frames);
  Error error;
  if (!wrapped_->Load(env, reader, &error)) Throw(kFrames, error);
}

bool PythonWorker::Run() {
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

}  // namespace parallel_pool
