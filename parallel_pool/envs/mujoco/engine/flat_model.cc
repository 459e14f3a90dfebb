#include "parallel_pool/envs/mujoco/engine/flat_model.h"

#include <map>
#include <mutex>
#include <string>

#include "parallel_pool/core/instruction_sets.h"
#include "parallel_pool/envs/mujoco/engine/model_pairs.h"
#include "parallel_pool/envs/mujoco/lanes/flatten.h"
#include "parallel_pool/envs/mujoco/lanes/mujoco_version.h"

namespace parallel_pool::mujoco {
namespace {

// Why no model is stepped in lanes here; empty if some may be. Each system has another build of
// libmujoco, and the steps are proved for those of Linux and of Windows.
std::string WhyNone() {
#ifdef __APPLE__
  return "proved are the libmujoco of Linux and that of Windows";
#endif
#if !defined(__linux__) || !defined(__x86_64__)
  if (lanes::kIsMujoco4) return "proved is the libmujoco 4 of Linux on x86-64";
#endif
#ifdef __x86_64__
  if (!Has(InstructionSet::kAvx2)) return "a processor without AVX2";
#endif
  if (IsProvedMujoco()) return "";
  return std::string("libmujoco ") + mj_versionString() + ", which is not the proved version";
}

std::shared_ptr<const FlatModel> Make(const Model& model) {
  auto flat = std::make_shared<FlatModel>();
  flat->why_not = WhyNone();
  if (flat->why_not.empty()) flat->steps = lanes::Flatten(*model, &flat->why_not);
  if (flat->steps == nullptr || !flat->steps->is_general) return flat;
#if !defined(__linux__) || !defined(__x86_64__)
  flat->why_not = "proved for such models is the libmujoco of Linux on x86-64";
#else
  if (!flat->steps->has_contacts || PairsOf(model, &flat->why_not) != nullptr) return flat;
#endif
  flat->steps = nullptr;
  return flat;
}

// The FlatModel of tasks that read what no step in lanes computes.
const std::shared_ptr<const FlatModel>& NoFlatModel() {
  static const auto none = std::make_shared<const FlatModel>(
      FlatModel{nullptr, "the task reads what only mj_step computes"});
  return none;
}

}  // namespace

std::shared_ptr<const FlatModel> FlatModelOf(const Model& model, unsigned reads) {
  if (reads & lanes::kOnlyLibrary) return NoFlatModel();
  static std::mutex mutex;
  // As long as a FlatModel lives, so does its mjModel: their users keep both.
  static std::map<const mjModel*, std::weak_ptr<const FlatModel>> all;
  const std::lock_guard lock(mutex);
  auto& kept = all[model.get()];
  std::shared_ptr<const FlatModel> flat = kept.lock();
  if (flat == nullptr) {
    std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
    flat = Make(model);
    all[model.get()] = flat;
  }
  if (flat->steps == nullptr) return flat;
  const bool lacks_tendons = (reads & lanes::kTendons) && flat->steps->has_tendons_in_space;
  const bool lacks_sensors = (reads & lanes::kEverySensor) && flat->steps->lacks_sensors;
  return lacks_tendons || lacks_sensors ? NoFlatModel() : flat;
}

}  // namespace parallel_pool::mujoco
