// Steps with the own search for contacts equal those of mj_step, and its contacts those of
// mj_collision: each number, by ==.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "parallel_pool/envs/mujoco/collision/proof/pairing.h"
#include "parallel_pool/envs/mujoco/engine/model_pairs.h"
#include "parallel_pool/envs/mujoco/engine/model_variant.h"

namespace parallel_pool::mujoco::collision {
namespace {

using testing::HasSubstr;

const bool kIsLong = std::getenv("LONG") != nullptr;

class ModelsTest : public testing::TestWithParam<const char*> {};

TEST_P(ModelsTest, EachNumberIsThatOfLibmujoco) {
  const std::string name = GetParam();
  Pairing pairing(LoadModel("parallel_pool/envs/mujoco/models/" + name + ".xml"));
  pairing.Play(kIsLong ? 200000 : 300);
  EXPECT_EQ(pairing.first(), "") << name;
  const Collider::Counts& counts = pairing.collider().counts();
  const auto per_step = [&](int64_t n) { return static_cast<double>(n) / counts.steps; };
  std::cout << name << ": " << counts.steps << " steps; for each, " << per_step(pairing.contacts())
            << " contacts, " << per_step(counts.looks) << " looks at pairs, "
            << per_step(counts.touches) << " touches, " << per_step(counts.doubtful)
            << " left to mj_collision\n";
  EXPECT_GT(pairing.contacts(), 0);
  EXPECT_LT(counts.doubtful, counts.steps / 10);
}

INSTANTIATE_TEST_SUITE_P(
    Models, ModelsTest,
    testing::Values("robotics/fetch/reach", "robotics/fetch/push", "robotics/fetch/slide",
                    "robotics/fetch/pick_and_place", "robotics/hand/reach",
                    "robotics/hand/manipulate_block", "robotics/hand/manipulate_egg",
                    "robotics/hand/manipulate_pen", "robotics/hand/manipulate_block_touch_sensors",
                    "robotics/adroit_hand/adroit_door", "robotics/adroit_hand/adroit_hammer",
                    "robotics/adroit_hand/adroit_pen", "robotics/adroit_hand/adroit_relocate",
                    "robotics/kitchen_franka/kitchen_assets/kitchen_env_model", "dm_control/finger",
                    "dm_control/stack_4", "dm_control/bring_ball", "dm_control/insert_peg",
                    "dm_control/quadruped_run", "dm_control/dog_run", "dm_control/humanoid_CMU",
                    "dm_control/ball_in_cup", "ogbench/arm/cube-triple", "ogbench/arm/scene",
                    "ogbench/arm/puzzle-3x3"));

// Writes a model to a file and loads it.
Model FromText(const std::string& text) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/model.xml";
  std::ofstream(path) << text;
  return LoadModel(path);
}

std::string Loose(const std::string& geoms, const char* pos) {
  return std::string("<body pos='") + pos + "'><freejoint/>" + geoms + "</body>";
}

// Bodies of each type of geom, of one and of several, with margins, gaps, priorities, listed and
// excluded pairs, fall onto the ground and on each other. `more` goes inside <mujoco>.
std::string Heap(const std::string& more = "") {
  return "<mujoco>" + more +
         "<default><geom margin='.002'/></default><worldbody>"
         "<geom name='floor' type='plane' size='5 5 1'/>"
         "<geom type='box' size='.1 .1 .1' pos='.3 0 .1' euler='0 0 30'/>" +
         Loose("<geom name='ball' type='sphere' size='.1' condim='4' gap='.001'/>", "0 0 .3") +
         Loose("<geom name='pill' type='capsule' size='.05 .1' priority='1'/>", ".05 0 .6") +
         Loose("<geom type='ellipsoid' size='.1 .05 .03' solmix='3'/>", ".3 .05 .5") +
         Loose("<geom type='cylinder' size='.06 .05' condim='6'/>", "0 .1 .9") +
         Loose("<geom name='die' type='box' size='.05 .06 .07'/>", ".1 .1 1.2") +
         Loose(
             "<geom type='box' size='.1 .02 .02'/><geom type='sphere' size='.04' pos='.12 0 0'/>"
             "<geom type='capsule' size='.02 .05' pos='-.1 0 0' solref='-100 -5'/>",
             "0 0 1.5") +
         Loose(
             "<geom type='box' size='.02 .1 .02'/><geom type='cylinder' size='.03 .02' "
             "pos='0 .1 0'/>",
             "0 .05 1.8") +
         "</worldbody><contact><pair geom1='ball' geom2='pill' margin='.01' condim='3'/>"
         "<exclude body1='world' body2='light'/></contact></mujoco>";
}

std::string HeapWithNames() {
  std::string text = Heap();
  const std::string last = "<body pos='0 .05 1.8'>";
  return text.replace(text.find(last), last.size(), "<body name='light' pos='0 .05 1.8'>");
}

TEST(ColliderTest, SoAreThoseOfAHeap) {
  Pairing pairing(FromText(HeapWithNames()));
  for (int i = 0; i < (kIsLong ? 100 : 4); ++i) {
    pairing.Reset();
    for (int k = 0; k < 600; ++k) pairing.Step();
    for (int k = 0; k < 200; ++k) pairing.Shake(k % 2 == 0 ? 1e-5 : 0.1);
  }
  EXPECT_EQ(pairing.first(), "");
  EXPECT_GT(pairing.contacts(), 10000);
}

// A body with two geoms that is within 1e-6 m of touching a floor, alone and next to a wall.
TEST(ColliderTest, SoAreThoseThatHardlyReachAFloor) {
  for (const char* const wall : {"", "<geom type='box' size='.1 .1 .1' pos='9 0 .1'/>"}) {
    Pairing pairing(FromText(
        std::string("<mujoco><option gravity='0 0 0'/><default><geom margin='.001'/></default>"
                    "<worldbody><geom type='plane' size='9 9 1'/>") +
        wall +
        "<body pos='0 0 .0819995'><joint type='slide' axis='1 0 1e-5'/><geom size='.08'/>"
        "<geom size='.05' pos='0 0 .5'/></body></worldbody></mujoco>"));
    for (int i = 0; i < 500; ++i) {
      pairing.Reset();
      pairing.Shake(.1);
    }
    EXPECT_EQ(pairing.first(), "");
  }
}

TEST(ColliderTest, AJumpIsSeen) {
  Pairing pairing(FromText(HeapWithNames()));
  for (int i = 0; i < 200; ++i) pairing.Step();
  for (mjData* const d : {&pairing.own(), &pairing.theirs()}) {
    for (int i = 0; i < 3; ++i) d->qpos[7 + i] = d->qpos[i] + 0.01;
  }
  pairing.Step();
  EXPECT_EQ(pairing.first(), "");
}

// The bodies are `apart` from where a contact of theirs begins.
int64_t DoubtfulOf(const std::string& geoms, const char* pos, double apart) {
  Pairing pairing(FromText("<mujoco><default><geom margin='.002'/></default><worldbody>" +
                           Loose("<geom type='sphere' size='.1'/>", "0 0 0") + Loose(geoms, pos) +
                           "</worldbody></mujoco>"));
  pairing.own().qpos[7] += 0.004 + apart;  // both margins
  pairing.FindContacts();
  const int64_t doubtful = pairing.collider().counts().doubtful;
  for (int i = 0; i < 20; ++i) pairing.Shake(1e-4);  // all pairs are looked at again after a doubt
  EXPECT_EQ(pairing.first(), "") << apart;
  return doubtful;
}

TEST(ColliderTest, AContactAtTheEdgeOfItsReachIsLeftToLibmujoco) {
  const std::string ball = "<geom type='sphere' size='.1'/>";
  EXPECT_EQ(DoubtfulOf(ball, ".2 0 0", -1e-4), 0);
  EXPECT_EQ(DoubtfulOf(ball, ".2 0 0", -1e-8), 1);  // the sweep may miss it
  EXPECT_EQ(DoubtfulOf(ball, ".2 0 0", 1e-8), 0);
  // So may the trees of boxes of a body with two geoms.
  for (const double apart : {-1e-11, -1e-12, 0.0, 1e-12, 1e-11}) {
    DoubtfulOf(ball + "<geom type='sphere' size='.1' pos='1 0 0'/>", ".2 0 0", apart);
  }
}

// A plate that rests on two bars, with no margin: each step is doubtful.
TEST(ColliderTest, AWorldThatIsAlwaysDoubtfulIsLeftToLibmujoco) {
  Pairing pairing(FromText(
      "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='.1 1 .1' pos='1 0 0'/>"
      "<geom type='box' size='.1 1 .1' pos='-1 0 0'/><body pos='0 0 .2'>"
      "<joint type='slide' axis='1 0 0'/><geom type='box' size='2 .5 .1'/></body>"
      "</worldbody></mujoco>"));
  for (int i = 0; i < 300; ++i) pairing.Step();
  EXPECT_EQ(pairing.first(), "");
  EXPECT_LT(pairing.collider().counts().looks, 100);
}

TEST(ColliderTest, PositionsThatAreNotNumbersAreReset) {
  Pairing pairing(FromText(HeapWithNames()));
  for (int i = 0; i < 400; ++i) {
    if (i % 50 == 10) pairing.own().qvel[3] = pairing.theirs().qvel[3] = std::nan("");
    if (i % 50 == 30) pairing.own().qpos[9] = pairing.theirs().qpos[9] = 1e11;
    pairing.Step();
  }
  EXPECT_EQ(pairing.first(), "");
}

// A world whose ball grows, and the same with what was known of pairs.
std::string FirstDifferenceOfAGrowingBall(bool forgets, bool grows_bounds) {
  const auto variant = std::make_shared<ModelVariant>(FromText(HeapWithNames()));
  const int ball = mj_name2id(&variant->model, mjOBJ_GEOM, "ball");
  mjtNum* const size = variant->Own(&mjModel::geom_size, 3 * variant->model.ngeom) + 3 * ball;
  mjtNum* const radius = variant->Own(&mjModel::geom_rbound, variant->model.ngeom) + ball;
  mjtNum* const box = variant->Own(&mjModel::geom_aabb, 6 * variant->model.ngeom) + 6 * ball;
  Pairing pairing(AsModel(variant));
  for (int i = 0; i < 20; ++i) pairing.Step();
  *size = 0.29;
  if (grows_bounds) *radius = box[3] = box[4] = box[5] = 0.29;
  if (forgets) pairing.collider().Forget();
  for (int i = 0; i < 100; ++i) pairing.Step();
  return pairing.first();
}

TEST(ColliderTest, AChangedModelIsMeasuredAgain) {
  EXPECT_EQ(FirstDifferenceOfAGrowingBall(true, true), "");
  // libmujoco, too, drops what is outside of bounds that are too small.
  EXPECT_EQ(FirstDifferenceOfAGrowingBall(true, false), "");
}

TEST(PlantedTest, AChangeThatIsNotToldIsSeen) {
  EXPECT_THAT(FirstDifferenceOfAGrowingBall(false, true), HasSubstr("ncon"));
}

std::string WhyNot(const std::string& more) {
  std::string why_not;
  EXPECT_EQ(PairsOf(FromText("<mujoco>" + more + "</mujoco>"), &why_not), nullptr);
  return why_not;
}

TEST(PairsTest, AModelThatIsNotCoveredIsRefusedInWords) {
  const std::string ball = "<body><freejoint/><geom size='.1'/></body>";
  const std::string floor = "<geom type='plane' size='1 1 1'/>";
  const std::string world = "<worldbody>" + floor + ball + "</worldbody>";
  EXPECT_EQ(WhyNot("<option><flag energy='enable'/></option>" + world), "a flag of its options");
  EXPECT_EQ(WhyNot("<option><flag contact='disable'/></option>" + world), "no contacts");
  EXPECT_EQ(WhyNot("<option><flag midphase='disable'/></option>" + world), "no midphase");
  EXPECT_EQ(WhyNot("<worldbody>" + ball + "</worldbody>"), "no geoms that may touch");
  EXPECT_EQ(WhyNot("<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset><worldbody>"
                   "<geom type='hfield' hfield='h'/>" +
                   ball + "</worldbody>"),
            "height fields");
  EXPECT_EQ(WhyNot("<worldbody>" + ball + "<body mocap='true'>" + floor + "</body></worldbody>"),
            "planes that move");
}

TEST(PairsTest, ModelsThatShareArraysShareTheirPairs) {
  const Model model = FromText(HeapWithNames());
  const auto variant = std::make_shared<ModelVariant>(model);
  variant->Own(&mjModel::geom_friction, 3 * model->ngeom)[0] = 2;
  std::string why_not;
  EXPECT_EQ(PairsOf(model, &why_not), PairsOf(AsModel(variant), &why_not));
  EXPECT_NE(PairsOf(model, &why_not), PairsOf(FromText(HeapWithNames()), &why_not));
}

}  // namespace
}  // namespace parallel_pool::mujoco::collision
