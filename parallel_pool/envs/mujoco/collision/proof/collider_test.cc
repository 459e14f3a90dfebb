// Steps with the own search for contacts equal those of mj_step, and its contacts those of
// mj_collision: each number, by ==.
#include "parallel_pool/envs/mujoco/collision/collider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/envs/mujoco/engine/model_pairs.h"
#include "parallel_pool/envs/mujoco/engine/model_variant.h"

namespace parallel_pool::mujoco::collision {
namespace {

using testing::HasSubstr;

const bool kIsLong = std::getenv("LONG") != nullptr;

using Data = std::unique_ptr<mjData, decltype(&mj_deleteData)>;

Data MakeData(const mjModel& m) {
  return {mj_makeData(&m), &mj_deleteData};
}

// Two worlds of one model: one with the own search, one by libmujoco alone.
class Pairing {
 public:
  explicit Pairing(Model model, uint64_t seed = 1)
      : m_(std::move(model)), own_(MakeData(*m_)), theirs_(MakeData(*m_)), random_(seed) {
    std::string why_not;
    const auto pairs = PairsOf(m_, &why_not);
    EXPECT_EQ(why_not, "");
    if (pairs != nullptr) collider_ = std::make_unique<Collider>(pairs);
    Reset();
  }

  double Draw() { return std::uniform_real_distribution<double>(-1, 1)(random_); }

  void Reset() {
    mj_resetData(m_.get(), own_.get());
    if (m_->nkey > 0) std::copy_n(m_->key_qpos, m_->nq, own_->qpos);
    for (int i = 0; i < m_->nv; ++i) own_->qvel[i] = 0.1 * Draw();
    Copy();
  }

  // Random controls, and those that move mocap bodies.
  void Act() {
    for (int i = 0; i < m_->nu; ++i) {
      const bool has_range = m_->actuator_ctrllimited[i] != 0;
      const double low = has_range ? m_->actuator_ctrlrange[2 * i] : -1;
      const double high = has_range ? m_->actuator_ctrlrange[2 * i + 1] : 1;
      own_->ctrl[i] = theirs_->ctrl[i] = (low + high) / 2 + (high - low) / 2 * Draw();
    }
    for (int i = 0; i < 3 * m_->nmocap; ++i) {
      own_->mocap_pos[i] = theirs_->mocap_pos[i] = own_->mocap_pos[i] + 0.02 * Draw();
    }
  }

  void Step() {
    Step1(*m_, *own_, *collider_);
    mj_step2(m_.get(), own_.get());
    mj_step(m_.get(), theirs_.get());
    Compare();
  }

  // Moves each joint by up to `size` rad or m, and compares the contacts there.
  void Shake(double size) {
    std::vector<double> moves(m_->nv);
    for (double& move : moves) move = size * Draw();
    mj_integratePos(m_.get(), own_->qpos, moves.data(), 1);
    FindContacts();
  }

  // Compares the contacts at the positions of the own world.
  void FindContacts() {
    Copy();
    for (mjData* const d : {own_.get(), theirs_.get()}) {
      mj_kinematics(m_.get(), d);
      mj_comPos(m_.get(), d);
    }
    collider_->Collide(*m_, *own_);
    mj_collision(m_.get(), theirs_.get());
    Compare();
  }

  // Plays steps, and shakes the world in between.
  void Play(int steps) {
    for (int i = 0; i < steps; ++i) {
      if (i % 5 == 0) Act();
      Step();
      if (i % 100 == 99) {
        for (const double size : {1e-6, 1e-4, 1e-2, 1.0}) {
          for (int k = 0; k < 5; ++k) Shake(size);
        }
        Reset();
      }
    }
  }

  const mjModel& model() const { return *m_; }
  mjData& own() { return *own_; }
  mjData& theirs() { return *theirs_; }
  Collider& collider() { return *collider_; }
  const std::string& first() const { return first_; }
  int64_t contacts() const { return contacts_; }

 private:
  void Copy() { mj_copyData(theirs_.get(), m_.get(), own_.get()); }

  template <class T>
  void Same(const char* name, const T* own, const T* theirs, int64_t n) {
    // Bytes: NaN equals NaN, and zeros have signs.
    if (n == 0 || !first_.empty() || std::memcmp(own, theirs, n * sizeof(T)) == 0) return;
    const auto [a, b] = std::mismatch(own, own + n, theirs);
    first_ = std::string(name) + "[" + std::to_string(a - own) + "] at time " +
             std::to_string(theirs_->time) + " is " + std::to_string(*a) + ", not " +
             std::to_string(*b);
  }

  void Compare() {
    Same("ncon", &own_->ncon, &theirs_->ncon, 1);
    const int n = std::min<int>(own_->ncon, theirs_->ncon);
    for (int i = 0; i < n; ++i) {
      const mjContact &a = own_->contact[i], &b = theirs_->contact[i];
      Same("contact.geom", a.geom, b.geom, 2);
      Same("contact.dist", &a.dist, &b.dist, 1);
      Same("contact.pos", a.pos, b.pos, 3);
      Same("contact.frame", a.frame, b.frame, 9);
      Same("contact.friction", a.friction, b.friction, 5);
      Same("contact.solref", a.solref, b.solref, mjNREF);
      Same("contact.solreffriction", a.solreffriction, b.solreffriction, mjNREF);
      Same("contact.solimp", a.solimp, b.solimp, mjNIMP);
      Same("contact.includemargin", &a.includemargin, &b.includemargin, 1);
      Same("contact.dim", &a.dim, &b.dim, 1);
      Same("contact.exclude", &a.exclude, &b.exclude, 1);
      Same("contact.efc_address", &a.efc_address, &b.efc_address, 1);
      Same("contact.mu", &a.mu, &b.mu, 1);
      Same("contact.H", a.H, b.H, 36);
      Same("contact.flex", a.flex, b.flex, 2);
      Same("contact.elem", a.elem, b.elem, 2);
      Same("contact.vert", a.vert, b.vert, 2);
    }
    contacts_ += n;
    Same("nefc", &own_->nefc, &theirs_->nefc, 1);
    if (first_.empty()) Same("efc_force", own_->efc_force, theirs_->efc_force, own_->nefc);
    Same("time", &own_->time, &theirs_->time, 1);
    // All that a saved state has: positions, speeds, forces, sensors, the warm start.
    Same("buffer", static_cast<const double*>(own_->buffer),
         static_cast<const double*>(theirs_->buffer), own_->nbuffer / sizeof(double));
  }

  const Model m_;
  const Data own_, theirs_;
  std::mt19937_64 random_;
  std::unique_ptr<Collider> collider_;
  int64_t contacts_ = 0;
  std::string first_;  // the first difference
};

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
                    "dm_control/ball_in_cup"));

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
  EXPECT_EQ(WhyNot("<option integrator='RK4'/>" + world), "its integrator");
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
