#include "parallel_pool/envs/mujoco/dm_control/heightfield_ray.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>

#include "parallel_pool/envs/mujoco/dm_control/terrain.h"

namespace parallel_pool::mujoco::dm_control {
namespace {

constexpr char kGround[] = R"(<mujoco>
  <asset><hfield name="ground" nrow="201" ncol="201" size="30 30 5 .1"/></asset>
  <worldbody><geom type="hfield" hfield="ground" pos="0 0 -.01"/></worldbody></mujoco>)";

class HeightfieldRayTest : public testing::Test {
 protected:
  HeightfieldRayTest()
      : spec_(mj_parseXMLString(kGround, nullptr, nullptr, 0), mj_deleteSpec),
        model_(mj_compile(spec_.get(), nullptr), mj_deleteModel),
        data_(mj_makeData(model_.get()), mj_deleteData) {
    mj_forward(model_.get(), data_.get());
  }

  double Draw(double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random_);
  }
  bool IsOneIn(int n) { return random_() % n == 0; }

  // Compares `n` rays, whose distances to the center are up to `far` m; returns how many hit.
  int Compare(int n, double far) {
    int hits = 0;
    for (int i = 0; i < n; ++i) {
      mjtNum point[] = {Draw(-far, far), Draw(-far, far), Draw(-.5, IsOneIn(4) ? 7 : 2)};
      mjtNum along[] = {Draw(-1, 1), Draw(-1, 1), Draw(-1, 1)};
      // Also rays along the axes or nearly so, and those that begin at points of the grid.
      for (mjtNum& x : along) x *= IsOneIn(20) ? 0 : IsOneIn(20) ? 1e-8 : 1;
      if (IsOneIn(2)) along[2] *= .1;
      if (IsOneIn(20)) point[0] = .3 * std::round(point[0] / .3);
      if (IsOneIn(20)) point[1] = .3 * std::round(point[1] / .3);
      if (mju_normalize3(along) == 0) continue;
      const double wanted = mj_rayHfield(model_.get(), data_.get(), 0, point, along, nullptr);
      const double found = RayToHeightfield(*model_, *data_, 0, point, along);
      EXPECT_EQ(found, wanted) << "from " << point[0] << " " << point[1] << " " << point[2]
                               << " along " << along[0] << " " << along[1] << " " << along[2];
      hits += found >= 0;
    }
    return hits;
  }

  void MakeTerrain() {
    double bumps[kBumps * kBumps];
    for (double& bump : bumps) bump = Draw(.15, 1);
    FillTerrain(bumps, model_->hfield_data);
  }

  std::mt19937_64 random_{1};
  std::unique_ptr<mjSpec, void (*)(mjSpec*)> spec_;
  std::unique_ptr<mjModel, void (*)(mjModel*)> model_;
  std::unique_ptr<mjData, void (*)(mjData*)> data_;
};

TEST_F(HeightfieldRayTest, EqualsMujocosOnTerrains) {
  for (int terrain = 0; terrain < 5; ++terrain) {
    MakeTerrain();
    EXPECT_GT(Compare(5000, 30), 2500);
    EXPECT_GT(Compare(1000, 40), 100) << "some begin outside";
  }
}

TEST_F(HeightfieldRayTest, EqualsMujocosOnFlatGround) {
  EXPECT_GT(Compare(5000, 30), 1000);
}

TEST_F(HeightfieldRayTest, EqualsMujocosAtEdgesThatAreNotFlat) {
  for (int i = 0; i < model_->nhfielddata; ++i) {
    model_->hfield_data[i] = static_cast<float>(Draw(0, 1));
  }
  EXPECT_GT(Compare(10'000, 40), 1000);
}

}  // namespace
}  // namespace parallel_pool::mujoco::dm_control
