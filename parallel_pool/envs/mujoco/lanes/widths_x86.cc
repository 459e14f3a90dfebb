#include "parallel_pool/envs/mujoco/lanes/widths.h"

namespace parallel_pool::mujoco::lanes {
namespace {

constexpr Width kWidths[] = {
    {1, &MakeStepperOfOne}, {4, &MakeStepperOfFour}, {kMostLanes, &MakeStepperOfEight}};

size_t Count() {
  if (!__builtin_cpu_supports("avx2")) return 0;
  const bool has_avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
  return has_avx512 ? 3 : 2;
}

}  // namespace

std::span<const Width> Widths() {
  static const size_t count = Count();
  return {kWidths, count};
}

}  // namespace parallel_pool::mujoco::lanes
