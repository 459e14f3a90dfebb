#include "parallel_pool/envs/mujoco/engine/advance.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/envs/mujoco/engine/model_pairs.h"
#include "parallel_pool/envs/mujoco/lanes/widths.h"

namespace parallel_pool::mujoco {

namespace {

using lanes::LaneEnv, lanes::StepModel, lanes::Stepper, lanes::Width, lanes::WidthsFor;

// The narrowest width that holds n envs, else the widest.
const Width& WidthFor(const StepModel& m, size_t n) {
  const auto widths = WidthsFor(m);
  const auto fits = [n](const Width& width) { return static_cast<size_t>(width.lanes) >= n; };
  const auto found = std::ranges::find_if(widths, fits);
  return found == widths.end() ? widths.back() : *found;
}

// This thread's stepper. It has room for what a step computes, 1 to 8 MB.
Stepper& StepperOf(const Width& width, const StepModel& m) {
  thread_local std::map<std::tuple<int, int, bool, bool>, std::unique_ptr<Stepper>> steppers;
  const int nv = m.is_general ? 0 : m.nv;  // one for all general models
  std::unique_ptr<Stepper>& stepper = steppers[{width.lanes, nv, m.is_pgs, m.is_general}];
  if (stepper == nullptr) stepper.reset(width.make(m));
  return *stepper;
}

}  // namespace

int BestChunk(const Model& model, unsigned reads) {
  const auto flat = FlatModelOf(model, reads);
  if (flat->steps == nullptr) return 1;
  // Envs of general models are sorted before they are stepped together.
  return WidthsFor(*flat->steps).back().lanes * (flat->steps->is_general ? 4 : 2);
}

std::string Remark(const Model& model, unsigned reads) {
  const auto flat = FlatModelOf(model, reads);
  if (flat->steps == nullptr) {
    std::string why_not;
    bool finds_contacts = PairsOf(model, &why_not) != nullptr;
    if (finds_contacts && model->opt.integrator == mjINT_RK4) {
      finds_contacts = false;
      why_not = "its integrator";
    }
    return "by libmujoco, " +
           (finds_contacts ? "with an own search for contacts"
                           : "without an own search for contacts (" + why_not + ")") +
           "; not in lanes: " + flat->why_not;
  }
  const int lanes = WidthsFor(*flat->steps).back().lanes;
  return "in lanes, up to " + std::to_string(lanes) + " envs at a time" +
         (flat->steps->is_general && flat->steps->has_contacts ? ", but for the search for contacts"
                                                               : "");
}

namespace {

// Makes the steps of simulations of one model that hold the same.
void AdvanceTogether(const StepModel& model, std::span<Simulation* const> simulations) {
  const Simulation& first = *simulations.front();
  while (!simulations.empty()) {
    const Width& width = WidthFor(model, simulations.size());
    const int n = std::min(width.lanes, static_cast<int>(simulations.size()));
    LaneEnv envs[lanes::kMostLanes];
    for (int k = 0; k < n; ++k) envs[k] = simulations[k]->BeginLane();
    StepperOf(width, model).Step(model, envs, n, first.held_steps(), first.reads());
    for (int k = 0; k < n; ++k) simulations[k]->EndLane(envs[k]);
    simulations = simulations.subspan(n);
  }
}

}  // namespace

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
    const auto alike = simulations.first(end - simulations.begin());
    if (model->is_general) {
      std::vector<Simulation*> sorted(alike.begin(), alike.end());
      std::ranges::stable_sort(sorted, {}, &Simulation::constraints);
      AdvanceTogether(*model, sorted);
    } else {
      AdvanceTogether(*model, alike);
    }
    simulations = simulations.subspan(alike.size());
  }
}

}  // namespace parallel_pool::mujoco
