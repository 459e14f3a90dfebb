#include "parallel_pool/envs/mujoco/engine/advance.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <tuple>

#include "parallel_pool/envs/mujoco/lanes/lane_env.h"

namespace parallel_pool::mujoco {

namespace {

using lanes::LaneEnv, lanes::StepModel, lanes::Stepper;

constexpr int kMostLanes = 8;

struct Width {
  int lanes;
  bool can_run;
  Stepper* (*make)(const StepModel& m);
};

// By the number of lanes.
std::span<const Width> Widths() {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  static const bool has_avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
  static const Width widths[] = {{1, has_avx2, &lanes::MakeStepperOfOne},
                                 {4, has_avx2, &lanes::MakeStepperOfFour},
                                 {kMostLanes, has_avx512, &lanes::MakeStepperOfEight}};
  return widths;
#elif defined(__aarch64__) && defined(__linux__)
  static const Width widths[] = {{2, true, &lanes::MakeStepperOfTwo}};
  return widths;
#else
  return {};
#endif
}

// The narrowest width that holds n envs, else the widest.
const Width& WidthFor(size_t n) {
  const Width* best = nullptr;
  for (const Width& width : Widths()) {
    if (width.can_run && (best == nullptr || static_cast<size_t>(best->lanes) < n)) best = &width;
  }
  return *best;
}

// This thread's stepper. It has room for what a step computes, 1 to 5 MB.
Stepper& StepperOf(const Width& width, const StepModel& m) {
  thread_local std::map<std::tuple<int, int, bool>, std::unique_ptr<Stepper>> steppers;
  std::unique_ptr<Stepper>& stepper = steppers[{width.lanes, m.nv, m.is_pgs}];
  if (stepper == nullptr) stepper.reset(width.make(m));
  return *stepper;
}

}  // namespace

int BestChunk(const Model& model, unsigned reads) {
  int most = 1;
  if (FlatModelOf(model, reads)->steps == nullptr) return most;
  for (const Width& width : Widths()) {
    if (width.can_run) most = 2 * width.lanes;
  }
  return most;
}

std::string Remark(const Model& model, unsigned reads) {
  const auto flat = FlatModelOf(model, reads);
  if (flat->steps == nullptr) return "by libmujoco (not in lanes: " + flat->why_not + ")";
  return "in lanes, up to " + std::to_string(BestChunk(model, reads) / 2) + " envs at a time";
}

void Advance(std::span<Simulation* const> simulations) {
  while (!simulations.empty()) {
    Simulation& first = *simulations.front();
    const StepModel* const model = first.step_model();
    if (model == nullptr || first.held_steps() == 0) {
      first.StepAlone();
      simulations = simulations.subspan(1);
      continue;
    }
    const auto end = std::ranges::find_if_not(
        simulations, [&](const Simulation* other) { return other->StepsAs(first); });
    const Width& width = WidthFor(end - simulations.begin());
    const int n = std::min(width.lanes, static_cast<int>(end - simulations.begin()));
    LaneEnv envs[kMostLanes];
    for (int k = 0; k < n; ++k) envs[k] = simulations[k]->BeginLane();
    StepperOf(width, *model).Step(*model, envs, n, first.held_steps(), first.reads());
    for (int k = 0; k < n; ++k) simulations[k]->EndLane(envs[k].is_placed);
    simulations = simulations.subspan(n);
  }
}

}  // namespace parallel_pool::mujoco
