#include "parallel_pool/envs/mujoco/engine/model_pairs.h"

#include <map>
#include <mutex>
#include <stdexcept>

namespace parallel_pool::mujoco {
namespace {

// Why there is no own search for contacts here; empty if there may be one. Each system has another
// build of libmujoco, and the search is proved for that of Linux on x86-64.
std::string WhyNone() {
#if !defined(__linux__) || !defined(__x86_64__)
  return "proved is the libmujoco of Linux on x86-64";
#endif
  if (IsProvedMujoco()) return "";
  return std::string("libmujoco ") + mj_versionString() + ", which is not the proved version";
}

}  // namespace

std::shared_ptr<const collision::Pairs> PairsOf(const Model& model, std::string* why_not) {
  *why_not = WhyNone();
  if (!why_not->empty()) return nullptr;
  static std::mutex mutex;
  // As long as Pairs live, so do the arrays of their model: their users keep both.
  static std::map<const int*, std::weak_ptr<const collision::Pairs>> all;
  const std::lock_guard lock(mutex);
  try {
    collision::CheckOptions(*model);  // they may differ between models that share arrays
    auto& kept = all[model->geom_bodyid];
    std::shared_ptr<const collision::Pairs> pairs = kept.lock();
    if (pairs == nullptr) {
      std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
      pairs = std::make_shared<const collision::Pairs>(collision::FindPairs(*model));
      all[model->geom_bodyid] = pairs;
    }
    return pairs;
  } catch (const std::invalid_argument& error) {
    *why_not = error.what();
    return nullptr;
  }
}

}  // namespace parallel_pool::mujoco
