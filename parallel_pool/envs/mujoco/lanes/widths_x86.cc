#include "parallel_pool/core/instruction_sets.h"
#include "parallel_pool/envs/mujoco/lanes/widths.h"

namespace parallel_pool::mujoco::lanes {
namespace {

constexpr Width kWidths[] = {
    {1, &MakeStepperOfOne}, {4, &MakeStepperOfFour}, {kMostLanes, &MakeStepperOfEight}};

size_t Count() {
  if (!Has(InstructionSet::kAvx2)) return 0;
  return Has(InstructionSet::kAvx512) ? 3 : 2;
}

}  // namespace

std::span<const Width> Widths() {
  static const size_t count = Count();
  return {kWidths, count};
}

}  // namespace parallel_pool::mujoco::lanes
