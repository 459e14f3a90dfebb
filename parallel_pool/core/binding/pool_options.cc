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

// Reads members of PoolOptions from a config, and keeps their names.
struct ConfigReader {
  const py::dict& config;
  std::vector<std::string> names = {};

  template <class T>
  void Read(const char* name, T* member) {
    names.push_back(name);
    if (config.contains(name)) *member = py::cast<T>(config[name]);
  }
};

Autoreset ToAutoreset(const std::string& mode) {
  const auto found = std::ranges::find(kAutoresetModes, mode);
  if (found == std::end(kAutoresetModes)) throw std::invalid_argument("autoreset_mode: " + mode);
  return static_cast<Autoreset>(found - kAutoresetModes);
}

PoolOptions ReadMembers(ConfigReader& reader) {
  PoolOptions options;
  std::string autoreset_mode = kAutoresetModes[0], reward_dtype;
  reader.Read("num_envs", &options.num_envs);
  reader.Read("batch_size", &options.batch_size);
  reader.Read("num_threads", &options.num_threads);
  reader.Read("max_episode_steps", &options.max_episode_steps);
  reader.Read("thread_affinity_offset", &options.thread_affinity_offset);
  reader.Read("autoreset_mode", &autoreset_mode);
  reader.Read("reward_dtype", &reward_dtype);
  reader.Read("record_episode_statistics", &options.record_episodes);
  reader.Read("check_actions", &options.check_actions);
  reader.Read("action_repeat", &options.action_repeat);
  reader.Read("time_aware", &options.time_aware);
  TransformOptions& transforms = options.transforms;
  reader.Read("normalize_observation", &transforms.normalize_observation);
  reader.Read("normalize_reward", &transforms.normalize_reward);
  reader.Read("update_statistics", &transforms.update_statistics);
  reader.Read("gamma", &transforms.gamma);
  reader.Read("clip_observation", &transforms.clip_observation);
  reader.Read("clip_reward", &transforms.clip_reward);
  options.autoreset = ToAutoreset(autoreset_mode);
  if (reward_dtype == "float64") options.reward_dtype = DType::kFloat64;
  return options;
}

constexpr char kPinMemory[] = "pin_memory";  // of ReadPageLocks

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
  ConfigReader reader{config};
  return ReadMembers(reader);
}

std::vector<std::string> PoolOptionNames() {
  const py::dict none;
  ConfigReader reader{none};
  ReadMembers(reader);
  reader.names.push_back(kPinMemory);
  return reader.names;
}

// Loading NVIDIA's driver may take a second.
std::shared_ptr<PageLocks> ReadPageLocks(const Setup& setup, const py::dict& config) {
  bool pin_memory = false;
  ConfigReader{config}.Read(kPinMemory, &pin_memory);
  if (!pin_memory) return nullptr;
  const py::gil_scoped_release unlocked;
  return std::make_shared<CudaPageLocks>(setup.task().id);
}

}  // namespace parallel_pool
