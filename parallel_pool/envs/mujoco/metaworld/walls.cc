#include "parallel_pool/envs/mujoco/metaworld/puck.h"

// Tasks with a wall between the robot and the goal.
namespace parallel_pool::mujoco::metaworld {
namespace {

// Move the hand to the goal.
class ReachWall : public WithPuck {
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
            .in_place_reward = near,
            .obj_to_target = far};
  }
};

// The places of a step on the way over or around the wall.
struct WallStep {
  double near, far;         // from the hand to the puck, and from there to the goal, m
  double halfway, arrived;  // how near the puck is to a place at the wall, and to the goal
};

class PastWall : public WithPuck {
 public:
  explicit PastWall(Sawyer& sawyer) : WithPuck(sawyer, true) {}

 protected:
  WallStep StepOf(const double* puck, const double* middle, const double (&scale)[3]) const {
    const Point tcp = sawyer().Tcp();
    const double *const target = episode().target, *const began = episode().object;
    const double far = Distance3(puck, target);
    return {.near = Distance3(puck, tcp),
            .far = far,
            .halfway = Tolerance(ScaledDistance(puck, middle, scale), 0, kReached,
                                 ScaledDistance(began, middle, scale)),
            .arrived = Tolerance(far, 0, kReached, Distance3(began, target))};
  }
  Judged Result(const WallStep& step, const double* obs, Number caged, Number reward) const {
    const bool is_lifted = obs[6] - .02 > episode().object[2];
    return {.reward = step.far < kReached ? Number(10) : reward,
            .success = Is(step.far <= .07),
            .near_object = Is(step.near <= .03),
            .grasp_success = Is(IsGripped() && obs[3] > 0 && is_lifted),
            .grasp_reward = caged.value(),
            .in_place_reward = step.arrived,
            .obj_to_target = step.far};
  }
  static constexpr double kBehind = .75;  // y of the wall's far side, m
};

// Push the puck around the wall.
class PushWall : public PastWall {
 public:
  using PastWall::PastWall;

  void Begin() override {
    TakePlaces(false);
    Place();
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    const double* const puck = obs + 4;
    const double middle[] = {-.05, .77, puck[2]};
    const WallStep step = StepOf(puck, middle, {3, 1, 1});
    const Number caged = sawyer().Cage(
        action, puck,
        {.object_radius = .015, .pad_distance = .05, .xz_distance = .005, .is_dense = true});
    Number reward = 2 * caged;
    if (step.near < .02 && obs[3] > 0) {
      reward = puck[1] > kBehind ? reward + 1. + 4. + 3. * step.arrived
                                 : reward + 1. + 4. * step.halfway;
    }
    return Result(step, obs, caged, reward);
  }
};

// Lift the puck over the wall.
class PickPlaceWall : public PastWall {
 public:
  using PastWall::PastWall;

  void Begin() override {
    TakePlaces(true);
    Place();
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    const double* const puck = obs + 4;
    const double middle[] = {episode().target[0], .77, .25};
    const WallStep step = StepOf(puck, middle, {1, 1, 3});
    const Number caged = sawyer().Cage(
        action, puck, {.object_radius = .015, .pad_distance = .05, .xz_distance = .005});
    Number reward = Hamacher(caged, step.halfway);
    if (step.near < .02 && obs[3] > 0 && puck[2] - .015 > episode().object[2]) {
      reward = puck[1] > kBehind ? reward + 1. + 4. + 3. * step.arrived
                                 : reward + 1. + 4. * step.halfway;
    }
    return Result(step, obs, caged, reward);
  }
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "reach-wall-v3",
              .model = "sawyer_reach_wall_v3.xml",
              .size = 6,
              .low = {-.05, .6, .015, -.05, .85, .05},
              .high = {.05, .65, .015, .05, .9, .3},
              .least_distance = .15,
              .goal_low = {-.05, .85, .05},
              .goal_high = {.05, .9, .3}},
     .make = &Make<ReachWall>},
    {.info = {.name = "push-wall-v3",
              .model = "sawyer_push_wall_v3.xml",
              .size = 6,
              .low = {-.05, .6, .015, -.05, .85, .01},
              .high = {.05, .65, .015, .05, .9, .02},
              .least_distance = .15,
              .goal_low = {-.05, .85, .01},
              .goal_high = {.05, .9, .02}},
     .make = &Make<PushWall>},
    {.info = {.name = "pick-place-wall-v3",
              .model = "sawyer_pick_place_wall_v3.xml",
              .size = 6,
              .low = {-.05, .6, .015, -.05, .85, .05},
              .high = {.05, .65, .015, .05, .9, .3},
              .least_distance = .15,
              .goal_low = {-.05, .85, .05},
              .goal_high = {.05, .9, .3}},
     .make = &Make<PickPlaceWall>},
};

}  // namespace

std::span<const TaskKind> Walls() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
