#include "parallel_pool/core/binding/pool_options.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

#include "parallel_pool/core/cuda/page_locks.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

// The values of autoreset_mode, in the order of Autoreset.
constexpr const char* kAutoresetModes[] = {"next_step", "same_step", "disabled"};

template <class T>
void Read(const py::dict& config, const char* name, T* member) {
  if (config.contains(name)) *member = py::cast<T>(config[name]);
}

Autoreset ToAutoreset(const std::string& mode) {
  const auto found = std::ranges::find(kAutoresetModes, mode);
  if (found == std::end(kAutoresetModes)) throw std::invalid_argument("autoreset_mode: " + mode);
  return static_cast<Autoreset>(found - kAutoresetModes);
}

}  // namespace

std::vector<EnvSetup> ToEnvOptions(const EnvOptionsList& list) {
  std::vector<EnvSetup> all;
  for (const auto& [setup, max_episode_steps] : list) all.push_back({setup, max_episode_steps});
  return all;
}

EnvOptionsList FromEnvOptions(const std::vector<EnvSetup>& all) {
  EnvOptionsList list;
  for (const EnvSetup& options : all) {
    list.emplace_back(std::const_pointer_cast<Setup>(options.setup), options.max_episode_steps);
  }
  return list;
}

PoolOptions ReadPoolOptions(const py::dict& config) {
  PoolOptions options;
  std::string autoreset_mode = kAutoresetModes[0], reward_dtype;
  Read(config, "num_envs", &options.num_envs);
  Read(config, "batch_size", &options.batch_size);
  Read(config, "num_threads", &options.num_threads);
  Read(config, "max_episode_steps", &options.max_episode_steps);
  Read(config, "thread_affinity_offset", &options.thread_affinity_offset);
  Read(config, "autoreset_mode", &autoreset_mode);
  Read(config, "reward_dtype", &reward_dtype);
  Read(config, "record_episode_statistics", &options.record_episodes);
  Read(config, "check_actions", &options.check_actions);
  Read(config, "action_repeat", &options.action_repeat);
  Read(config, "time_aware", &options.time_aware);
  TransformOptions& transforms = options.transforms;
  Read(config, "normalize_observation", &transforms.normalize_observation);
  Read(config, "normalize_reward", &transforms.normalize_reward);
  Read(config, "update_statistics", &transforms.update_statistics);
  Read(config, "gamma", &transforms.gamma);
  Read(config, "clip_observation", &transforms.clip_observation);
  Read(config, "clip_reward", &transforms.clip_reward);
  options.autoreset = ToAutoreset(autoreset_mode);
  if (reward_dtype == "float64") options.reward_dtype = DType::kFloat64;
  return options;
}

// Loading NVIDIA's driver may take a second.
std::shared_ptr<PageLocks> ReadPageLocks(const Setup& setup, const py::dict& config) {
  bool pin_memory = false;
  Read(config, "pin_memory", &pin_memory);
  if (!pin_memory) return nullptr;
  const py::gil_scoped_release unlocked;
  return std::make_shared<CudaPageLocks>(setup.task().id);
}

}  // namespace parallel_pool
