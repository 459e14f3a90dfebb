#include "parallel_pool/envs/mujoco/metaworld/puck.h"

namespace parallel_pool::mujoco::metaworld {
namespace {

// Move the hand to the goal.
class Reach : public WithPuck {
 public:
  using WithPuck::WithPuck;

  void Begin() override {
    TakePlaces(true);
    Place();
  }
  Judged Judge(const double*, View<const AnyFloat>) const override {
    const Point tcp = sawyer().Tcp();
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
    TakePlaces(false);
    Place();
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    const Point tcp = sawyer().Tcp();
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
    TakePlaces(true);
    Place();
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    const Point tcp = sawyer().Tcp();
    const double *const puck = obs + 4, *const target = episode().target, open = obs[3];
    const double* const began = episode().object;
    const double near = Distance3(puck, tcp), far = Distance3(puck, target);
    const double in_place = Tolerance(far, 0, kReached, Distance3(began, target));
    const Number caged = Cage(action, puck);
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
  Number Cage(View<const AnyFloat> action, const double* puck) const {
    const Number caging = Hamacher(sawyer().Sides(puck, .015, .05), sawyer().Above(puck, .005));
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
