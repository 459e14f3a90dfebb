// Profiles of a pool: what measures stands around its parts for as long as one is made.
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/engine/profile.h"

namespace parallel_pool {

void Pool::StartProfile(std::chrono::nanoseconds limit) {
  if (profiling_dispatcher_ != nullptr) {
    throw std::runtime_error(task_ + ": a profile is being made already: stop it first");
  }
  std::vector<int32_t> first_envs;
  for (const TaskPart& part : setup_->parts()) first_envs.push_back(part.first_env);
  if (first_envs.empty()) first_envs.push_back(0);
  Profile& profile = *profiles_.emplace_back(std::make_unique<Profile>(
      options_.num_envs, options_.num_threads, std::move(first_envs), limit));
  if (host_ == nullptr) {
    if (profiling_group_ == nullptr) {
      auto group = std::make_unique<ProfilingGroup>(std::move(group_));
      profiling_group_ = group.get();
      group_ = std::move(group);
    }
    runner_.SetGroup(*profiling_group_);
    ProfilingRunner& runner = *profiling_runners_.emplace_back(
        std::make_unique<ProfilingRunner>(static_cast<ChunkRunner&>(*this), profile));
    static_cast<Scheduler&>(*dispatcher_).SetRunner(runner);
  }
  auto dispatcher = std::make_unique<ProfilingDispatcher>(std::move(dispatcher_), profile);
  profiling_dispatcher_ = dispatcher.get();
  dispatcher_ = std::move(dispatcher);
}

void Pool::StopProfile() {
  if (profiling_dispatcher_ == nullptr) return;
  running_profile()->End();
  dispatcher_ = profiling_dispatcher_->Take();
  profiling_dispatcher_ = nullptr;
  if (host_ != nullptr) return;
  static_cast<Scheduler&>(*dispatcher_).SetRunner(*this);
  runner_.SetGroup(*profiling_group_->inner());
}

}  // namespace parallel_pool
