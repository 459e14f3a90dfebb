#include <cmath>

#include "parallel_pool/envs/mujoco/metaworld/common.h"

namespace parallel_pool::mujoco::metaworld {
namespace {

// A puck on the table.
class WithPuck : public Task {
 public:
  explicit WithPuck(Sawyer& sawyer)
      : Task(sawyer), puck_(sawyer.Body("obj")), geom_(sawyer.Geom("objGeom")) {}

  int See(double* object) const override {
    double quat[4];
    MatrixToQuat(data().geom_xmat + 9 * geom_, quat);
    return Join(object, std::span(place(), 3), quat);
  }

 protected:
  const double* place() const { return data().xpos + 3 * puck_; }
  bool IsGripped() const { return sawyer().IsGripped(geom_); }
  // Puts the puck where the episode's object is, and the goal where its target is.
  void Place() {
    sawyer().PlaceObject(episode().object);
    std::ranges::copy(episode().target, sawyer().GoalPlace());
  }

 private:
  const int puck_, geom_;
};

// Move the hand to the goal.
class Reach : public WithPuck {
 public:
  using WithPuck::WithPuck;

  void Begin() override {
    std::copy_n(episode().vector, 3, episode().object);
    std::copy_n(episode().vector + 3, 3, episode().target);
    Place();
  }
  Judged Judge(const double*, const float*) const override {
    double tcp[3];
    sawyer().FindTcp(tcp);
    const double* const target = episode().target;
    const double far = Distance3(tcp, target);
    const double near = Tolerance(far, 0, kReached, Distance3(sawyer().task().hand, target));
    return {.reward = 10 * near,
            .success = Is(far <= kReached),
            .near_object = far,
            .grasp_success = 1,
            .grasp_reward = far,
            .in_place_reward = near,
            .obj_to_target = far};
  }
};

// Push the puck to the goal.
class Push : public WithPuck {
 public:
  using WithPuck::WithPuck;

  void Begin() override {
    const double* const vector = episode().vector;
    const double height = place()[2];
    Join(episode().object, std::span(vector, 2), std::span(&height, 1));
    Join(episode().target, std::span(vector + 3, 2), std::span(&height, 1));
    Place();
  }
  Judged Judge(const double* obs, const float* action) const override {
    double tcp[3];
    sawyer().FindTcp(tcp);
    const double *const puck = obs + 4, *const target = episode().target, open = obs[3];
    const double near = Distance3(puck, tcp), far = Distance3(puck, target);
    const double in_place = Tolerance(far, 0, kReached, Distance3(episode().object, target));
    const Number caged = sawyer().Cage(
        action, puck,
        {.object_radius = .015, .pad_distance = .05, .xz_distance = .005, .is_dense = true});
    Number reward = 2 * caged;
    if (near < .02 && open > 0) reward = reward + (1. + reward + 5. * in_place);
    if (far < kReached) reward = 10;
    const bool is_lifted = puck[2] - .02 > episode().object[2];
    return {.reward = reward,
            .success = Is(far <= kReached),
            .near_object = Is(near <= .03),
            .grasp_success = Is(IsGripped() && open > 0 && is_lifted),
            .grasp_reward = caged.value(),
            .in_place_reward = in_place,
            .obj_to_target = far};
  }
};

// Lift the puck to the goal.
class PickPlace : public WithPuck {
 public:
  using WithPuck::WithPuck;

  void Begin() override {
    std::copy_n(episode().vector, 3, episode().object);
    std::copy_n(episode().vector + 3, 3, episode().target);
    Place();
  }
  Judged Judge(const double* obs, const float* action) const override {
    double tcp[3];
    sawyer().FindTcp(tcp);
    const double *const puck = obs + 4, *const target = episode().target, open = obs[3];
    const double* const began = episode().object;
    const double near = Distance3(puck, tcp), far = Distance3(puck, target);
    const double in_place = Tolerance(far, 0, kReached, Distance3(began, target));
    const Number caged = Cage(action, puck, tcp);
    Number reward = Hamacher(caged, in_place);
    if (near < .02 && open > 0 && puck[2] - .01 > began[2]) reward = reward + (1. + 5. * in_place);
    if (far < kReached) reward = 10;
    return {.reward = reward,
            .success = Is(far <= .07),
            .near_object = Is(near <= .03),
            .grasp_success = Is(IsGripped() && open > 0 && puck[2] - .02 > began[2]),
            .grasp_reward = caged.value(),
            .in_place_reward = in_place,
            .obj_to_target = far};
  }

 private:
  // Unlike that of other tasks, it compares with where the pads are, not with where they began.
  Number Cage(const float* action, const double* puck, const double* tcp) const {
    constexpr double kRadius = .015, kPads = .05, kXz = .005;  // m
    const auto side = [&](int pad, double sign) {
      const double apart = sign * (sawyer().Pad(pad)[1] - puck[1]);
      const double margin = std::abs(std::abs(puck[1] - sawyer().Pad(pad)[1]) - kPads);
      return Tolerance(apart, kRadius, kPads, margin);
    };
    const Number sides = Hamacher(side(1, 1), side(0, -1));
    const double now[] = {tcp[0], 0, tcp[2]}, puck_now[] = {puck[0], 0, puck[2]};
    const double *const first = episode().tcp, *const began = episode().object;
    const double then[] = {began[0], 0, began[2]}, tcp_then[] = {first[0], 0, first[2]};
    const double xz = Tolerance(Distance3(now, puck_now), 0, kXz, Distance3(then, tcp_then) - kXz);
    const Number caging = Hamacher(sides, xz);
    const Number both = Hamacher(caging, caging > 0.97 ? Closed(action) : Number(0));
    return (both + caging) / 2;
  }
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "reach-v3",
              .model = "sawyer_reach_v3.xml",
              .size = 6,
              .low = {-.1, .6, .02, -.1, .8, .05},
              .high = {.1, .7, .02, .1, .9, .3},
              .least_distance = .15,
              .goal_low = {-.1, .8, .05},
              .goal_high = {.1, .9, .3}},
     .make = &Make<Reach>},
    {.info = {.name = "push-v3",
              .model = "sawyer_push_v3.xml",
              .size = 6,
              .low = {-.1, .6, .02, -.1, .8, .01},
              .high = {.1, .7, .02, .1, .9, .02},
              .least_distance = .15,
              .goal_low = {-.1, .8, .01},
              .goal_high = {.1, .9, .02}},
     .make = &Make<Push>},
    {.info = {.name = "pick-place-v3",
              .model = "sawyer_pick_place_v3.xml",
              .size = 6,
              .low = {-.1, .6, .02, -.1, .8, .05},
              .high = {.1, .7, .02, .1, .9, .3},
              .least_distance = .15,
              .goal_low = {-.1, .8, .05},
              .goal_high = {.1, .9, .3}},
     .make = &Make<PickPlace>},
};

}  // namespace

std::span<const TaskKind> Pucks() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
