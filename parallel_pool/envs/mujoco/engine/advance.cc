#include "parallel_pool/envs/mujoco/engine/advance.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "parallel_pool/envs/mujoco/engine/model_pairs.h"
#include "parallel_pool/envs/mujoco/lanes/widths.h"

namespace parallel_pool::mujoco {

namespace {

using lanes::LaneEnv, lanes::StepModel, lanes::Stepper, lanes::Width, lanes::Widths;

// The narrowest width that holds n envs, else the widest.
const Width& WidthFor(size_t n) {
  const auto widths = Widths();
  const auto fits = [n](const Width& width) { return static_cast<size_t>(width.lanes) >= n; };
  const auto found = std::ranges::find_if(widths, fits);
  return found == widths.end() ? widths.back() : *found;
}

// This thread's stepper. It has room for what a step computes, 1 to 5 MB.
Stepper& StepperOf(const Width& width, const StepModel& m) {
  thread_local std::map<std::tuple<int, int, bool, bool>, std::unique_ptr<Stepper>> steppers;
  std::unique_ptr<Stepper>& stepper = steppers[{width.lanes, m.nv, m.is_pgs, m.is_general}];
  if (stepper == nullptr) stepper.reset(width.make(m));
  return *stepper;
}

}  // namespace

int BestChunk(const Model& model, unsigned reads) {
  return FlatModelOf(model, reads)->steps == nullptr ? 1 : 2 * Widths().back().lanes;
}

std::string Remark(const Model& model, unsigned reads) {
  const auto flat = FlatModelOf(model, reads);
  if (flat->steps == nullptr) {
    std::string why_not;
    const bool finds_contacts = PairsOf(model, &why_not) != nullptr;
    return "by libmujoco, " +
           (finds_contacts ? "with an own search for contacts"
                           : "without an own search for contacts (" + why_not + ")") +
           "; not in lanes: " + flat->why_not;
  }
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
    LaneEnv envs[lanes::kMostLanes];
    for (int k = 0; k < n; ++k) envs[k] = simulations[k]->BeginLane();
    StepperOf(width, *model).Step(*model, envs, n, first.held_steps(), first.reads());
    for (int k = 0; k < n; ++k) simulations[k]->EndLane(envs[k].is_placed);
    simulations = simulations.subspan(n);
  }
}

}  // namespace parallel_pool::mujoco
