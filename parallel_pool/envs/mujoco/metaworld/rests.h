// The states in which the hand has come to rest, kept so that they need not be stepped to again.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace parallel_pool::mujoco::metaworld {

// They depend on the task, on the model, and on the places of its bodies, which episodes change.
// Envs of one task and model share them; calls may come from different threads.
class Rests {
 public:
  // Takes the state of `data` from here; false: it is not known.
  bool Load(const mjModel& model, mjData& data) {
    const std::lock_guard lock(mutex_);
    const auto found = states_.find(Places(model));
    if (found == states_.end()) return false;
    mj_setState(&model, &data, found->second.data(), mjSTATE_INTEGRATION);
    return true;
  }
  void Save(const mjModel& model, const mjData& data) {
    std::vector<mjtNum> state(mj_stateSize(&model, mjSTATE_INTEGRATION));
    mj_getState(&model, &data, state.data(), mjSTATE_INTEGRATION);
    const std::lock_guard lock(mutex_);
    if (states_.size() < kMost) states_.emplace(Places(model), std::move(state));
  }

 private:
  static constexpr size_t kMost = 64;  // a task of a benchmark has 50 vectors; 3 KB each

  static std::string Places(const mjModel& model) {
    return {reinterpret_cast<const char*>(model.body_pos), 3 * model.nbody * sizeof(mjtNum)};
  }

  std::mutex mutex_;
  std::map<std::string, std::vector<mjtNum>> states_;  // by the bytes of the places
};

}  // namespace parallel_pool::mujoco::metaworld
