// Steps in lanes equal mj_step: each number of each stage, of each step, for each width.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "parallel_pool/envs/mujoco/engine/flat_model.h"
#include "parallel_pool/envs/mujoco/lanes/proof/lanes_fixture.h"

namespace parallel_pool::mujoco::lanes {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using LanesTest = LanesFixture;

TEST_P(LanesTest, EachNumberIsThatOfLibmujoco) {
  ExpectEqual(TaskModel(GetParam()), GetParam());
}

// The hinges of a heavy and a light body have the same axis. So the inertia matrix is singular but
// for the light one's inertia, of which rounding leaves less than libmujoco allows.
TEST_F(LanesTest, SoAreThoseOfAMatrixThatIsTooCloseToSingular) {
  for (const char* const inertia : {"1", "3", "7", "100"}) {
    const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/singular.xml";
    std::ofstream(path)
        << "<mujoco><compiler inertiafromgeom='false'/><worldbody>"
        << "<body><inertial pos='0 0 0' mass='1' diaginertia='1.1e-15 1.1e-15 1.1e-15'/><joint/>"
        << "<body><inertial pos='0 0 0' mass='1' diaginertia='" << inertia << " " << inertia << " "
        << inertia << "'/><joint name='j'/></body></body></worldbody>"
        << "<actuator><motor joint='j'/></actuator></mujoco>";
    ExpectEqual(LoadModel(path), std::string("singular, ") + inertia);
  }
}

// Constraints of several trees of bodies are solved tree by tree. A cylinder lies on the ground or
// stands on its edge, a ball rolls into another, and they may meet an arm with limits and two
// joints.
TEST_F(LanesTest, SoAreThoseOfSeveralTrees) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/trees.xml";
  std::ofstream(path)
      << "<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='5 5 1'/>"
      << "<body pos='0 0 .5'><joint name='j' axis='0 1 0' limited='true' range='-.5 .5'/>"
      << "<geom type='capsule' size='.05' fromto='0 0 0 0 0 -.4'/>"
      << "<body pos='0 0 -.4'><joint name='k' axis='0 1 0' limited='true' range='-.2 .2'/>"
      << "<geom type='capsule' size='.04' fromto='0 0 0 .3 0 0'/></body></body>"
      << "<body pos='1 0 .1'><freejoint/><geom type='cylinder' size='.1 .1'/></body>"
      << "<body pos='-1 0 .2'><freejoint/><geom type='cylinder' size='.2 .05' condim='1'/></body>"
      << "<body pos='.8 .8 .1'><freejoint/><geom type='sphere' size='.1'/></body>"
      << "<body pos='.8 1.05 .1'><freejoint/><geom type='sphere' size='.1'/></body>"
      << "</worldbody><actuator><motor joint='j'/><motor joint='k' gear='.3'/></actuator></mujoco>";
  ExpectEqual(LoadModel(path), "several trees");
}

// Four balls and fourteen pendulums have 38 dofs, more than fit 32 bits, and 18 trees of bodies.
TEST_F(LanesTest, SoAreThoseOfManyDofs) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/balls.xml";
  std::ofstream file(path);
  file << "<mujoco><worldbody><geom type='plane' size='9 9 1'/>";
  for (int i = 0; i < 4; ++i) {
    file << "<body pos='" << 2 * i << " 0 .1'><freejoint/><geom type='sphere' size='.1'/></body>";
  }
  for (int i = 0; i < 14; ++i) {
    file << "<body pos='0 " << 3 + i << " .5'><joint name='j" << i << "' axis='0 1 0'/>"
         << "<geom type='sphere' size='.1'/></body>";
  }
  file << "</worldbody><actuator><motor joint='j0'/></actuator></mujoco>";
  file.close();
  ExpectEqual(LoadModel(path), "many dofs");
}

// Balls, of which one has friction, and a capsule, which is left to libmujoco where it is near. The
// walls are turned, of the world or of a body that does not move, and one is low enough to roll
// over.
std::string BodiesBetweenWalls() {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/walls.xml";
  std::ofstream(path)
      << "<mujoco><option gravity='1 .5 -9'/><worldbody><geom type='plane' size='5 5 1'/>"
      << "<geom type='box' size='.1 1 .5' pos='.5 0 .3'/>"
      << "<geom type='box' size='1 .1 .5' pos='0 .6 .3' euler='10 20 40'/>"
      << "<geom type='box' size='.05 .05 .02' pos='0 -.1 .02' euler='0 0 30'/>"
      << "<body pos='-.5 0 .2' euler='0 0 90'><geom type='box' size='.4 .1 .2'/></body>"
      << "<body pos='0 0 .095'><joint name='x' type='slide' axis='1 0 0'/>"
      << "<joint name='y' type='slide' axis='0 1 0'/><geom type='sphere' size='.1' condim='1'/>"
      << "</body><body pos='.2 -.3 .3'><freejoint/><geom type='sphere' size='.15'/></body>"
      << "<body pos='-1 .6 .3'><freejoint/><geom type='capsule' size='.1 .2'/></body>"
      << "</worldbody><actuator><motor joint='x' gear='3'/><motor joint='y' gear='3'/></actuator>"
      << "</mujoco>";
  return path;
}

TEST_F(LanesTest, SoAreThoseOfWalls) {
  ExpectEqual(LoadModel(BodiesBetweenWalls()), "walls");
}

// Models of the other integrator, and of another solver.
TEST_P(LanesTest, SoAreThoseOfOtherOptions) {
  const Model model = TaskModel(GetParam());
  const std::unique_ptr<mjModel, decltype(&mj_deleteModel)> changed(
      mj_copyModel(nullptr, model.get()), &mj_deleteModel);
  mjOption& option = changed->opt;
  option.integrator = option.integrator == mjINT_EULER ? mjINT_RK4 : mjINT_EULER;
  ExpectEqual(Model(model, changed.get()), GetParam() + std::string(", other integrator"));
  option.solver = option.solver == mjSOL_PGS ? mjSOL_NEWTON : mjSOL_PGS;
  if (option.solver == mjSOL_PGS && model->ntree > 1) return;  // not covered
  ExpectEqual(Model(model, changed.get()), GetParam() + std::string(", other solver"));
}

INSTANTIATE_TEST_SUITE_P(
    Models, LanesTest,
    testing::Values("gym/half_cheetah", "gym/hopper", "gym/walker2d", "gym/walker2d_v5", "gym/ant",
                    "gym/swimmer", "gym/humanoid", "gym/humanoidstandup", "gym/reacher",
                    "gym/pusher", "gym/pusher_v5", "gym/inverted_pendulum",
                    "gym/inverted_double_pendulum", "dm_control/cheetah", "dm_control/walker",
                    "dm_control/hopper", "dm_control/humanoid", "dm_control/acrobot",
                    "dm_control/cartpole", "dm_control/cartpole_3", "dm_control/pendulum",
                    "dm_control/reacher", "dm_control/swimmer_6", "dm_control/swimmer_15",
                    "dm_control/point_mass", "dm_control/lqr_2_1", "dm_control/lqr_6_2"));

// A sphere that is within 1e-6 m of touching the floor, where libmujoco misses contacts of geoms
// with a margin whose bodies have several geoms.
class FloorTest : public LanesFixture {};

std::string AboveFloor(const char* margin, const char* height) {
  return std::string("<mujoco><option gravity='0 0 0'/><default><geom margin='") + margin +
         "'/></default><worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 " + height +
         "'><joint type='slide' axis='1 0 1e-5'/><geom size='.08'/><geom size='.05' pos='0 0 .5'/>"
         "</body></worldbody></mujoco>";
}

TEST_F(FloorTest, ContactsThatHardlyReachAreThoseOfLibmujoco) {
  ExpectEqual(FromText(AboveFloor(".001", ".0819995")), "sphere with a margin");
}
TEST_F(FloorTest, SoAreThoseWithoutAMargin) {
  ExpectEqual(FromText(AboveFloor("0", ".08")), "sphere without a margin");
}

// Each of these changes is small, and is seen.
class PlantedTest : public LanesTest {
 protected:
  PlantedTest() : model_(TaskModel("gym/half_cheetah")), flat_(*Flat(*model_)) {}

  std::string FirstDifference(const Play& play = {}) {
    return LanesFixture::FirstDifference(model_, flat_, play);
  }

  const Model model_;
  StepModel flat_;
};

TEST_F(PlantedTest, NothingIsSeenWithoutAFault) {
  EXPECT_EQ(FirstDifference(), "");
}
TEST_F(PlantedTest, ADroppedContactIsSeen) {
  --flat_.num_solid_pairs;
  EXPECT_THAT(FirstDifference(), StartsWith("ncon"));
}
TEST_F(PlantedTest, AnotherOrderOfContactsIsSeen) {
  std::swap(flat_.pairs[0], flat_.pairs[flat_.num_pairs - 1]);
  EXPECT_THAT(FirstDifference(), StartsWith("contact."));
}
TEST_F(PlantedTest, AStaleWarmStartIsSeen) {
  const auto forget = [](mjData& data) { data.qacc_warmstart[0] = 0; };
  EXPECT_THAT(FirstDifference({.plant = forget}), HasSubstr(" in step "));
}
TEST_F(PlantedTest, OneBitOfAConstantIsSeen) {
  flat_.damping[5] = std::nextafter(flat_.damping[5], 100);
  EXPECT_THAT(FirstDifference(), StartsWith("qfrc_damper"));
}
TEST_F(PlantedTest, AWallThatMovesIsSeen) {
  const Model model = LoadModel(BodiesBetweenWalls());
  StepModel flat = *Flat(*model);
  flat.walls[0].box.pos[0] = std::nextafter(flat.walls[0].box.pos[0], 1);
  EXPECT_THAT(LanesFixture::FirstDifference(model, flat), StartsWith("contact."));
}
TEST_F(PlantedTest, AnotherMarginIsSeen) {
  for (GeomPair& pair : flat_.pairs) pair.law.margin += 1e-9;
  EXPECT_THAT(FirstDifference(), HasSubstr(" in step "));
}
TEST_F(PlantedTest, AnotherToleranceIsSeen) {
  flat_.tolerance = 1e-4;
  EXPECT_THAT(FirstDifference(), HasSubstr(" in step "));
}

}  // namespace
}  // namespace parallel_pool::mujoco::lanes
