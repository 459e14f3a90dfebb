#include "parallel_pool/core/binding/local_envs.h"

#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "parallel_pool/core/engine/forwarding.h"
#include "parallel_pool/core/engine/idle.h"
#include "parallel_pool/core/engine/runner.h"
#include "parallel_pool/core/engine/wrapped.h"
#include "parallel_pool/core/workers/called_group.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

// The envs as a group of the pool. Its calls take the GIL.
class LocalGroup final : public CalledGroup {
 public:
  LocalGroup(std::shared_ptr<PythonGroup> group, int num_envs, std::shared_ptr<EnvCalls> calls)
      : LocalGroup(std::make_unique<SharedSeed[]>(num_envs), num_envs, std::move(group),
                   std::move(calls)) {}

  void Step(const int32_t* envs, const Turn* turns, int32_t count, std::byte* const* actions,
            Result* results) noexcept override {
    const py::gil_scoped_acquire gil;
    for (int32_t i = 0; i < count; ++i) {
      SharedSeed& seed = seeds()[envs[i]];
      if (std::exchange(seed.given, 0) != 0) {
        Error none;
        group_->Prepare(envs[i], {.seed = &seed.seed}, &none);
      }
    }
    group_->Step(envs, turns, count, actions, results);
  }
  void Observe(const int32_t* envs, int32_t count, std::byte* const* columns, int64_t first_row,
               Result* results) noexcept override {
    const py::gil_scoped_acquire gil;
    group_->Observe(envs, count, columns, first_row, results);
  }
  const char* Failure(int32_t env) const override { return group_->Failure(env); }

 private:
  LocalGroup(std::unique_ptr<SharedSeed[]> seeds, int num_envs, std::shared_ptr<PythonGroup> group,
             std::shared_ptr<EnvCalls> calls)
      : CalledGroup(seeds.get(), num_envs, *calls),
        own_seeds_(std::move(seeds)),
        group_(std::move(group)),
        calls_(std::move(calls)) {}

  const std::unique_ptr<SharedSeed[]> own_seeds_;
  const std::shared_ptr<PythonGroup> group_;
  const std::shared_ptr<EnvCalls> calls_;
};

class LocalDispatcher final : public Dispatcher {
 public:
  LocalDispatcher(const PoolView& parts, std::shared_ptr<PythonGroup> group,
                  std::vector<EnvTimes>& times)
      : group_(std::move(group)),
        states_(parts.states),
        times_(times),
        runner_(parts.options, parts.layout, parts.batches, 1,
                {.group = &parts.group,
                 .actions = parts.actions.rows(),
                 .states = parts.states,
                 .episodes = parts.episodes}) {}

  void Send(std::span<const int32_t> envs, uint32_t batch, bool reset) override {
    const std::lock_guard lock(mutex_);
    int32_t row = 0;
    for (const int32_t env : envs) {
      tickets_.push_back({.env = env, .count = 1, .row = row++, .batch = batch, .reset = reset});
    }
  }

  // Steps at least one env, so a `limit` of 0 makes progress. Returns early after a Ctrl-C.
  bool Await(Batch& batch, std::chrono::nanoseconds limit) override {
    const py::gil_scoped_acquire gil;
    const auto deadline = Clock::now() + limit;
    while (!batch.ready()) {
      Ticket ticket;
      {
        const std::lock_guard lock(mutex_);
        if (tickets_.empty()) return false;
        ticket = tickets_.front();
        tickets_.pop_front();
      }
      const bool is_reset = ticket.reset || states_[ticket.env].next == Turn::kReset;
      const auto begin = Clock::now();
      runner_.Run(0, {&ticket, 1});
      const std::chrono::nanoseconds time = Clock::now() - begin;
      times_[ticket.env].Add(is_reset, time.count());
      if (group_->TakeInterrupted()) {
        PyErr_SetInterrupt();  // the caller looks for signals
        return false;
      }
      if (Clock::now() >= deadline) break;
    }
    return batch.ready();
  }
  // The caller releases its lock, looks for signals, and keeps its time limit between steps.
  int64_t EstimateNs(int64_t) const override { return INT64_MAX; }
  bool Stop(std::chrono::nanoseconds) override { return true; }

 private:
  const std::shared_ptr<PythonGroup> group_;
  const EnvState* const states_;
  std::vector<EnvTimes>& times_;
  std::mutex mutex_;  // of the tickets
  std::deque<Ticket> tickets_;
  Runner runner_;
};

}  // namespace

LocalEnvs::LocalEnvs(std::shared_ptr<const Setup> setup, int num_envs, PythonGroup::Helpers helpers,
                     std::shared_ptr<EnvCalls> calls)
    : setup_(std::move(setup)),
      num_envs_(num_envs),
      group_(std::make_shared<PythonGroup>(*ForwardingSetup::Inner(setup_.get()), num_envs,
                                           std::move(helpers), /*keeps_exceptions=*/true)),
      calls_(std::move(calls)),
      times_(num_envs) {}

std::unique_ptr<EnvGroup> LocalEnvs::MakeGroup() {
  return WrappedGroupOf(*setup_, std::make_unique<LocalGroup>(group_, num_envs_, calls_),
                        num_envs_);
}

std::unique_ptr<Dispatcher> LocalEnvs::Start(const PoolView& parts) {
  return std::make_unique<LocalDispatcher>(parts, group_, times_);
}

}  // namespace parallel_pool
