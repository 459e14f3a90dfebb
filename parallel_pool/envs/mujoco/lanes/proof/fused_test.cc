// The same steps with fused products differ from mj_step: the comparison sees one rounding less.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "parallel_pool/envs/mujoco/lanes/flatten.h"
#include "parallel_pool/envs/mujoco/lanes/proof/comparison.h"

namespace parallel_pool::mujoco::lanes {
namespace {

TEST(FusedTest, FusedProductsAreSeen) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    GTEST_SKIP() << "this processor has no fused products";
  }
  const Model model = TaskModel("gym/half_cheetah");
  std::string why_not;
  const auto flat = Flatten(*model, &why_not);
  const std::unique_ptr<Stepper> stepper(MakeStepperOfFour(*flat));
  EXPECT_GT(Compare(model, *flat, *stepper, {}).different, 0);
}

}  // namespace
}  // namespace parallel_pool::mujoco::lanes
