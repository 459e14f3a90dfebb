#include <cmath>

#include "parallel_pool/envs/mujoco/engine/numpy_math.h"
#include "parallel_pool/envs/mujoco/metaworld/common.h"

// Tasks with a tool that has a handle.
namespace parallel_pool::mujoco::metaworld {
namespace {

class WithTool : public Task {
 public:
  using Task::Task;

 protected:
  // How level the tool is, 0 to 1: `level` is its rotation if it is.
  static double Level(const double* obs, const double (&level)[4]) {
    double tilt[4];
    for (int i = 0; i < 4; ++i) tilt[i] = obs[7 + i] - level[i];
    return std::max(1. - Norm(tilt, 4) / .4, 0.);
  }
  // The part of the reward for the grip: the hand may be anywhere along the handle.
  Number Grip(const double* obs, View<const AnyFloat> action, double handle, bool is_medium) const {
    double tool[3];
    std::copy_n(obs + 4, 3, tool);
    if (std::abs(tool[0] - obs[0]) < handle / 2.) tool[0] = obs[0];
    return sawyer().Cage(action, tool,
                         {.object_radius = .015,
                          .pad_distance = .02,
                          .xz_distance = .01,
                          .is_dense = !is_medium,
                          .medium_reach = is_medium ? .01 : 0});
  }
  static Judged Result(Number reward, Number grip, double level, double in_place, bool is_done) {
    return {.reward = reward,
            .success = Is(is_done),
            .near_object = level,
            .grasp_success = Is(!(grip < .5)),
            .grasp_reward = grip.value(),
            .in_place_reward = in_place,
            .obj_to_target = 0};
  }
};

// Drive a nail into a box.
class Hammer : public WithTool {
 public:
  explicit Hammer(Sawyer& sawyer)
      : WithTool(sawyer),
        box_(sawyer.Body("box")),
        hammer_(sawyer.Body("hammer")),
        nail_(sawyer.Body("nail_link")),
        goal_(sawyer.Site("goal")) {}

  void Edit() override {
    constexpr double kBox[] = {.24, .85, 0};
    std::ranges::copy(kBox, sawyer().BodyPlace(box_));
  }
  void Begin() override {
    std::copy_n(sawyer().SitePlace(goal_), 3, episode().target);
    std::copy_n(episode().vector, 3, episode().object);
    sawyer().PlaceObject(episode().object);
  }
  int See(double* object) const override {
    const mjData& d = data();
    const int size = JoinPose(object, d.xpos + 3 * hammer_, d.xquat + 4 * hammer_);
    return size + JoinPose(object + size, d.xpos + 3 * nail_, d.xquat + 4 * nail_);
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    double head[3];
    Add(obs + 4, {.16, .06, 0}, head);
    const double level = Level(obs, {1, 0, 0, 0});
    const Number grip = Grip(obs, action, .14, false);
    const double far = Distance3(episode().target, head);
    const double in_place = .1 * Is(head[2] > .02) + .9 * Tolerance(far, 0, .02, .2);
    Number reward = (2. * grip + 6. * in_place) * level;
    const bool is_in = data().qpos[16] > .09;
    if (is_in && reward > 5.) reward = 10;
    return Result(reward, grip, level, in_place, is_in);
  }

 private:
  const int box_, hammer_, nail_, goal_;
};

// A nut with a handle, and a peg.
class WithNut : public WithTool {
 public:
  explicit WithNut(Sawyer& sawyer)
      : WithTool(sawyer),
        peg_(sawyer.Body("peg")),
        nut_(sawyer.Body("RoundNut")),
        center_(sawyer.Site("RoundNut")),
        handle_(sawyer.Site("RoundNut-8")) {}

  int See(double* object) const override {
    return JoinPose(object, sawyer().SitePlace(handle_), data().xquat + 4 * nut_);
  }

 protected:
  static constexpr double kHandle = .02, kLevel[] = {.707, 0, 0, .707};

  double* peg() const { return sawyer().BodyPlace(peg_); }
  const double* center() const { return sawyer().SitePlace(center_); }

 private:
  const int peg_, nut_, center_, handle_;
};

// Put the nut onto the peg.
class Assembly : public WithNut {
 public:
  using WithNut::WithNut;

  void Edit() override { Add(episode().vector + 3, {0, 0, -.05}, peg()); }
  void Begin() override {
    TakePlaces();
    sawyer().PlaceObject(episode().object);
    std::ranges::copy(episode().target, sawyer().GoalPlace("pegTop"));
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    double way[3];
    for (int i = 0; i < 3; ++i) way[i] = episode().target[i] - center()[i];
    const double radius = Norm(way, 2);
    const bool is_on = radius < .02 && way[2] > 0;
    const double throat = is_on ? .02 : .01;
    way[2] = (FunnelFloor(radius, throat, .02, .2) - center()[2]) * 3;
    const bool is_lifted = center()[2] > .02 || radius < throat;
    const double in_place = .1 * Is(is_lifted) + .9 * Tolerance(Norm(way, 3), 0, .02, .4);
    const double level = Level(obs, kLevel);
    const Number grip = Grip(obs, action, kHandle, true);
    const Number reward = is_on ? Number(10) : (2. * grip + 6. * in_place) * level;
    return Result(reward, grip, level, in_place, is_on);
  }
};

// Take the nut off the peg.
class Disassemble : public WithNut {
 public:
  using WithNut::WithNut;

  void Edit() override { Add(episode().vector, {0, 0, .03}, peg()); }
  void Begin() override {
    std::copy_n(episode().vector, 3, episode().object);
    Add(episode().vector, {0, 0, .15}, episode().target);
    Add(episode().vector, {0, 0, .08}, sawyer().GoalPlace("pegTop"));
    sawyer().PlaceObject(episode().object);
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    double above[3];
    Add(episode().target, {0, 0, .1}, above);
    const double far = Distance3(above, center());
    const double in_place = .1 * Is(center()[2] > .02) + .9 * Tolerance(far, 0, .02, .2);
    const double level = Level(obs, kLevel);
    const Number grip = Grip(obs, action, kHandle, false);
    const bool is_off = obs[6] > episode().target[2];
    const Number reward = is_off ? Number(10) : (2. * grip + 6. * in_place) * level;
    return Result(reward, grip, level, in_place, is_off);
  }
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "hammer-v3",
              .model = "sawyer_hammer.xml",
              .low = {-.1, .4, 0},
              .high = {.1, .5, 0},
              .goal_low = {.2399, .7399, .109},
              .goal_high = {.2401, .7401, .111},
              .hand = {0, .4, .2}},
     .make = &Make<Hammer>},
    {.info = {.name = "assembly-v3",
              .model = "sawyer_assembly_peg.xml",
              .size = 6,
              .low = {0, .6, .02, -.1, .75, .1},
              .high = {0, .6, .02, .1, .85, .1},
              .least_distance = .1,
              .goal_low = {-.1, .75, .1},
              .goal_high = {.1, .85, .1},
              .hand = {0, .6f, .2f}},
     .make = &Make<Assembly>},
    {.info = {.name = "disassemble-v3",
              .model = "sawyer_assembly_peg.xml",
              .size = 6,
              .low = {0, .6, .025, -.1, .6, .1699},
              .high = {.1, .75, .02501, .1, .75, .1701},
              .least_distance = .1,
              .goal_low = {-.1, .6, .1699 + .005},
              .goal_high = {.1, .75, .1701 + .005},
              .hand = {0, .4f, .2f}},
     .make = &Make<Disassemble>},
};

}  // namespace

std::span<const TaskKind> Tools() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
