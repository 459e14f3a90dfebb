// For tests: models that are played in lanes and by mj_step, and faults that are planted.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "parallel_pool/envs/mujoco/lanes/flatten.h"
#include "parallel_pool/envs/mujoco/lanes/proof/comparison.h"
#include "parallel_pool/envs/mujoco/lanes/widths.h"

namespace parallel_pool::mujoco::lanes {

inline Model FromText(const std::string& text) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/model.xml";
  std::ofstream(path) << text;
  return LoadModel(path);
}

inline std::unique_ptr<const StepModel> Flat(const mjModel& model) {
  std::string why_not;
  auto flat = Flatten(model, &why_not);
  EXPECT_EQ(why_not, "");
  return flat;
}

class LanesFixture : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (Widths().empty()) GTEST_SKIP() << "this processor has no AVX2";
  }

  // Plays with the steppers of all widths that this processor has.
  static void ExpectEqual(const Model& model, const std::string& name) {
    const auto flat = Flat(*model);
    ASSERT_NE(flat, nullptr);
    Comparison sum;
    for (const auto& [lanes, make] : WidthsFor(*flat)) {
      const std::unique_ptr<Stepper> stepper(make(*flat));
      const int steps = std::getenv("LONG") != nullptr ? 20000 : 400;
      for (const Play& play :
           {Play{.lanes = lanes, .steps = steps},
            Play{.lanes = lanes, .steps = steps, .seed = 2, .is_bang_bang = true},
            Play{.lanes = lanes, .steps = steps, .seed = 3, .is_wild = true},
            Play{.lanes = lanes, .steps = steps, .seed = 4, .reads_least = true}}) {
        const Comparison c = Compare(model, *flat, *stepper, play);
        EXPECT_EQ(c.different, 0) << name << ", " << lanes << " lanes: " << c.first;
        sum.numbers += c.numbers;
        sum.retreats += c.retreats;
        sum.contacts += c.contacts;
        sum.rows += c.rows;
        sum.iterations += c.iterations;
      }
    }
    std::cout << name << ": " << sum.numbers << " numbers, " << sum.contacts << " contacts, "
              << sum.rows << " rows, " << sum.iterations << " iterations, " << sum.retreats
              << " retreats\n";
    EXPECT_GT(sum.retreats, 0);
    EXPECT_TRUE(sum.contacts + sum.rows > 0 || !flat->is_general || !flat->has_contacts);
  }

  // The first difference of the widest stepper; empty: none.
  static std::string FirstDifference(const Model& model, const StepModel& flat, Play play = {}) {
    const Width& widest = WidthsFor(flat).back();
    play.lanes = widest.lanes;
    const std::unique_ptr<Stepper> stepper(widest.make(flat));
    return Compare(model, flat, *stepper, play).first;
  }
};

}  // namespace parallel_pool::mujoco::lanes
