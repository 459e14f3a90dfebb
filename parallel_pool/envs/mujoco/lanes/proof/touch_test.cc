// Contacts of solids in degenerate places equal libmujoco's: parallel and almost parallel capsules,
// and solids whose centers are at one place.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "parallel_pool/envs/mujoco/engine/flat_model.h"
#include "parallel_pool/envs/mujoco/lanes/narrow_phase.h"

namespace parallel_pool::mujoco::lanes {
namespace {

// Two free bodies: `first` and `second` are the types and sizes of their geoms.
Model TwoSolids(const std::string& first, const std::string& second) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/solids.xml";
  std::ofstream(path) << "<mujoco><worldbody><body><freejoint/><geom " << first
                      << "/></body><body pos='9 9 9'><freejoint/><geom " << second
                      << "/></body></worldbody></mujoco>";
  return LoadModel(path);
}

Solid SolidOf(const mjModel& m, const mjData& d, int g) {
  const bool is_capsule = m.geom_type[g] == mjGEOM_CAPSULE;
  const mjtNum *const pos = d.geom_xpos + 3 * g, *const mat = d.geom_xmat + 9 * g;
  return {.pos = {pos[0], pos[1], pos[2]},
          .axis = {mat[2], mat[5], mat[8]},
          .radius = m.geom_size[3 * g],
          .half_length = is_capsule ? m.geom_size[3 * g + 1] : 0,
          .is_capsule = is_capsule};
}

struct Solids {
  const char *first, *second;
  bool may_touch_twice = false;
};

class TouchTest : public testing::TestWithParam<Solids> {};

TEST_P(TouchTest, ContactsAreThoseOfLibmujoco) {
  const Model model = TwoSolids(GetParam().first, GetParam().second);
  const mjModel& m = *model;
  const std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(&m), &mj_deleteData);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto draw = [&] { return uniform(random); };
  const int plays = std::getenv("LONG") ? 500'000 : 20'000;
  int contacts = 0, two = 0;
  for (int play = 0; play < plays; ++play) {
    mjtNum *const a = data->qpos, *const b = data->qpos + 7;
    for (int i = 0; i < 3; ++i) b[i] = (a[i] = draw()) + (play % 7 == 0 ? 0 : 0.3 * draw());
    for (int i = 3; i < 7; ++i) a[i] = draw();
    const double turn = play % 3 == 0 ? 0 : play % 3 == 1 ? 1e-4 * draw() : draw();
    for (int i = 3; i < 7; ++i) b[i] = a[i] + turn * draw();
    mj_kinematics(&m, data.get());
    mj_collision(&m, data.get());
    Contacts own;
    Touch(0, SolidOf(m, *data, 0), SolidOf(m, *data, 1), 0, own);
    ASSERT_EQ(own.size, data->ncon) << play;
    for (int c = 0; c < own.size; ++c) {
      const mjContact& theirs = data->contact[c];
      ASSERT_EQ(own.items[c].dist, theirs.dist) << play;
      for (int i = 0; i < 3; ++i) ASSERT_EQ(own.items[c].pos[i], theirs.pos[i]) << play;
      for (int i = 0; i < 9; ++i) ASSERT_EQ(own.items[c].frame[i], theirs.frame[i]) << play;
    }
    contacts += own.size;
    two += own.size == 2;
  }
  EXPECT_GT(contacts, plays / 10);
  EXPECT_EQ(two > 0, GetParam().may_touch_twice);
}

INSTANTIATE_TEST_SUITE_P(
    Solids, TouchTest,
    testing::Values(Solids{"type='capsule' size='0.1 0.3'", "type='capsule' size='0.15 0.2'", true},
                    Solids{"type='capsule' size='0.1 1e-9'", "type='capsule' size='0.15 0.2'"},
                    Solids{"type='sphere' size='0.2'", "type='capsule' size='0.15 0.2'"},
                    Solids{"type='sphere' size='0.2'", "type='sphere' size='0.15'"}));

}  // namespace
}  // namespace parallel_pool::mujoco::lanes
