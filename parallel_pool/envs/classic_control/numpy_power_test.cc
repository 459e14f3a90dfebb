#include "parallel_pool/envs/classic_control/numpy_power.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "parallel_pool/core/random.h"

namespace parallel_pool::classic_control {
namespace {

TEST(NumPyPower, IsPow) {
  volatile double two = 2;
  Rng rng(0);
  int differ = 0;
  for (int i = 0; i < 10'000'000; ++i) {
    const double x = std::ldexp(rng.Uniform(-1, 1), static_cast<int>(rng.Integers(-20, 20)));
    ASSERT_EQ(NumPySquare(x), std::pow(x, two)) << x;
    differ += NumPySquare(x) != x * x;
  }
  EXPECT_GT(differ, 0) << "then x * x would do";
}

TEST(NumPyPower, IsPowAtTheEnds) {
  volatile double two = 2;
  using Limits = std::numeric_limits<double>;
  for (const double x : {0.0, -0.0, 1.0, 1e-170, 1e-320, 1e170, 1e99, Limits::infinity(),
                         Limits::max(), Limits::min(), Limits::denorm_min()}) {
    EXPECT_EQ(NumPySquare(x), std::pow(x, two)) << x;
    EXPECT_EQ(NumPySquare(-x), std::pow(-x, two)) << -x;
  }
  EXPECT_TRUE(std::isnan(NumPySquare(Limits::quiet_NaN())));
}

}  // namespace
}  // namespace parallel_pool::classic_control
