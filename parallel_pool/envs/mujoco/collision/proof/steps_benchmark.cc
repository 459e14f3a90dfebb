// Measures a step of each model by mj_step, and with the own search for contacts: microseconds of
// processor time. Both play the same steps with random actions.
//
//   tools/bazel.sh run //parallel_pool/envs/mujoco/collision/proof:steps_benchmark [-- MODEL...]
//
// MODEL is one of the family, such as robotics/fetch/push, or a path to an XML file.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "parallel_pool/envs/mujoco/collision/collider.h"
#include "parallel_pool/envs/mujoco/engine/model_pairs.h"

namespace parallel_pool::mujoco::collision {
namespace {

constexpr int kRounds = 5, kSteps = 3000, kHeld = 10, kEpisode = 500;

constexpr const char* kModels[] = {
    "robotics/fetch/reach",
    "robotics/fetch/push",
    "robotics/fetch/slide",
    "robotics/hand/reach",
    "robotics/hand/manipulate_block",
    "robotics/hand/manipulate_egg",
    "robotics/adroit_hand/adroit_door",
    "robotics/adroit_hand/adroit_hammer",
    "robotics/kitchen_franka/kitchen_assets/kitchen_env_model",
    "dm_control/finger",
    "dm_control/bring_ball",
    "dm_control/stack_4",
    "dm_control/quadruped_run",
    "dm_control/humanoid_CMU",
    "dm_control/dog_run",
};

double CpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Microseconds for a step. `collider`: nullptr for mj_step.
double Measure(const mjModel& m, mjData& d, Collider* collider) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  double seconds = 0;
  for (int step = 0; step < kSteps; ++step) {
    if (step % kEpisode == 0) mj_resetData(&m, &d);
    for (int i = 0; step % kHeld == 0 && i < m.nu; ++i) {
      const double low = m.actuator_ctrlrange[2 * i], high = m.actuator_ctrlrange[2 * i + 1];
      d.ctrl[i] = (low + high) / 2 + (high - low) / 2 * uniform(random);
    }
    const double start = CpuSeconds();
    if (collider == nullptr) {
      mj_step(&m, &d);
    } else {
      Step1(m, d, *collider);
      mj_step2(&m, &d);
    }
    seconds += CpuSeconds() - start;
  }
  return seconds / kSteps * 1e6;
}

double Median(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return numbers[numbers.size() / 2];
}

void Compare(const std::string& name) {
  const bool is_path = std::filesystem::exists(name);
  const Model model =
      LoadModel(is_path ? name : "parallel_pool/envs/mujoco/models/" + name + ".xml");
  std::string why_not;
  const auto pairs = PairsOf(model, &why_not);
  if (pairs == nullptr) {
    std::printf("%s: by mj_step (%s)\n", name.c_str(), why_not.c_str());
    return;
  }
  const std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(model.get()),
                                                               &mj_deleteData);
  Collider collider(pairs);
  std::vector<double> theirs, own;
  for (int round = 0; round < kRounds; ++round) {
    theirs.push_back(Measure(*model, *data, nullptr));
    own.push_back(Measure(*model, *data, &collider));
  }
  std::printf("| %s | %.1f | %.1f | x%.2f |\n", name.c_str(), Median(theirs), Median(own),
              Median(theirs) / Median(own));
}

}  // namespace
}  // namespace parallel_pool::mujoco::collision

int main(int argc, char** argv) {
  const std::vector<std::string> names(argv + 1, argv + argc);
  std::printf("| model | mj_step, us | own contacts, us | |\n| --- | ---: | ---: | ---: |\n");
  if (!names.empty()) {
    for (const std::string& name : names) parallel_pool::mujoco::collision::Compare(name);
    return 0;
  }
  for (const char* const name : parallel_pool::mujoco::collision::kModels) {
    parallel_pool::mujoco::collision::Compare(name);
  }
}
