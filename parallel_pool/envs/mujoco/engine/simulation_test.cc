#include "parallel_pool/envs/mujoco/engine/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

namespace parallel_pool::mujoco {
namespace {

using testing::HasSubstr;

// A ball above a floor, pushed by a motor. `more` goes inside <mujoco>.
std::string Ball(const std::string& more = "") {
  return "<mujoco>" + more +
         R"(<worldbody><geom type="plane" size="5 5 1"/>
           <body pos="0 0 1"><joint name="x" type="slide" axis="1 0 0"/>
           <joint name="z" type="slide" axis="0 0 1"/><geom size="0.1"/></body></worldbody>
           <actuator><motor joint="x"/></actuator></mujoco>)";
}

// Writes `text` to a file and returns its path.
std::string Write(const std::string& text, const std::string& name = "model.xml") {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
  std::ofstream(path) << text;
  return path;
}

std::string ErrorOf(const std::string& path) {
  try {
    LoadModel(path);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

const mjtNum kZeros[2] = {};

void Step(Simulation& ball, double push, int steps) {
  ball.Hold(View<const double>{&push, 1}, steps);
  ball.StepAlone();
  ball.Finish();
}

struct Memory final : Writer, Reader {
  std::vector<std::byte> bytes;
  size_t position = 0;

  void Write(const void* data, size_t n) override {
    const auto* from = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), from, from + n);
  }
  bool Read(void* data, size_t n) override {
    if (n > left()) return false;
    std::memcpy(data, bytes.data() + position, n);
    position += n;
    return true;
  }
  size_t left() const override { return bytes.size() - position; }
};

TEST(ModelTest, WhatIsNoModelIsSaidInMujocosWords) {
  EXPECT_EQ(ErrorOf("/no/such.xml"), "there is no file /no/such.xml");
  EXPECT_THAT(ErrorOf(Write("<mujoco><worldbody><boddy/></worldbody></mujoco>")),
              HasSubstr("unrecognized element"));
  EXPECT_THAT(ErrorOf(Write("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>")),
              HasSubstr("mass and inertia of moving bodies"));
  EXPECT_THAT(ErrorOf(Write("not XML")), HasSubstr("is no MuJoCo model"));
}

TEST(ModelTest, FlagsAreAdded) {
  const std::string path = Write(Ball(R"(<option><flag gravity="disable"/></option>)"));
  EXPECT_EQ(LoadModel(path, mjDSBL_ISLAND)->opt.disableflags, mjDSBL_GRAVITY | mjDSBL_ISLAND);
}

TEST(SimulationTest, Falls) {
  Simulation ball(LoadModel(Write(Ball())), kNothing);
  ball.Begin(kZeros, kZeros);
  const float push = 2;
  Step(ball, push, 100);
  EXPECT_GT(ball.data().qpos[0], 0);
  EXPECT_LT(ball.data().qpos[1], 0);
  EXPECT_NEAR(ball.data().time, 0.2, 1e-9);
}

TEST(SimulationTest, AnErrorOfMujocoIsAnException) {
  // There is no memory for the contact with the floor.
  Simulation ball(LoadModel(Write(Ball(R"(<size memory="1K"/>)"))), kNothing);
  const mjtNum deep[2] = {0, -1};
  try {
    ball.Begin(deep, kZeros);
    FAIL() << "no error";
  } catch (const MujocoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("stack overflow"));
  }
}

TEST(SimulationTest, AWorldThatDivergesGoesOn) {
  Simulation ball(LoadModel(Write(Ball())), kNothing);
  const mjtNum fast[2] = {0, 1e12};
  ball.Begin(kZeros, fast);
  const float push = 0;
  Step(ball, push, 1);
  EXPECT_EQ(ball.data().warning[mjWARN_BADQVEL].number, 1);
  EXPECT_LT(std::abs(ball.data().qvel[1]), 1);
}

TEST(SimulationTest, GoesOnAfterALoad) {
  Simulation ball(LoadModel(Write(Ball())), kNothing);
  const mjtNum low[2] = {0, -0.85};
  ball.Begin(low, kZeros);
  const float push = 1;
  Step(ball, push, 10);
  Memory memory;
  ball.Save(memory);
  Step(ball, push, 50);

  Simulation other(LoadModel(Write(Ball())), kNothing);
  ASSERT_TRUE(other.Load(memory));
  EXPECT_EQ(memory.left(), 0);
  Step(other, push, 50);
  EXPECT_EQ(std::memcmp(other.data().buffer, ball.data().buffer, ball.data().nbuffer), 0);
  EXPECT_EQ(other.data().time, ball.data().time);

  memory.position = 8;
  EXPECT_FALSE(other.Load(memory));
}

}  // namespace
}  // namespace parallel_pool::mujoco
