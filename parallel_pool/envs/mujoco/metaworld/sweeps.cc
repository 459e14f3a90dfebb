#include <cmath>

#include "parallel_pool/envs/mujoco/engine/rows.h"
#include "parallel_pool/envs/mujoco/metaworld/puck.h"

// Tasks in which a puck or a ball is moved along the table between the pads.
namespace parallel_pool::mujoco::metaworld {
namespace {

constexpr double kHole[] = {0, .84, .02};  // m

// Pull the puck back to the goal.
class PushBack : public WithPuck {
 public:
  explicit PushBack(Sawyer& sawyer) : WithPuck(sawyer, true) {}

  void Begin() override {
    TakePlaces(false);
    Place();
  }
  Judged Judge(const double* obs, View<const AnyFloat>) const override {
    const Point tcp = sawyer().Tcp();
    const double *const puck = obs + 4, *const target = episode().target, open = obs[3];
    const double near = Distance3(puck, tcp), far = Distance3(puck, target);
    const double first = Distance3(episode().object, target);
    const double in_place = Tolerance(far, 0, kReached, first);
    const double caged = sawyer().CageByPads(puck, .007, .003, .01);
    Number reward = Hamacher(caged, in_place);
    if (near < .01 && 0 < open && open < .55 && first - far > .01) {
      reward = reward + (1. + 5. * in_place);
    }
    if (far < kReached) reward = 10;
    return {.reward = reward,
            .success = Is(far <= .07),
            .near_object = Is(near <= .03),
            .grasp_success = Is(IsGripped() && open > 0 && puck[2] - .02 > episode().object[2]),
            .grasp_reward = caged,
            .in_place_reward = in_place,
            .obj_to_target = far};
  }
};

// Sweep a block off the table, or the puck into a hole.
template <bool kIsIntoHole>
class Sweep : public WithPuck {
 public:
  explicit Sweep(Sawyer& sawyer) : WithPuck(sawyer), block_(sawyer.Body("obj")) {}

  void Begin() override {
    const double* const vector = episode().vector;
    std::copy_n(vector, 2, episode().object);
    episode().object[2] = kIsIntoHole ? place()[2] : .02;
    const double edge[] = {.5, vector[1], .01};
    std::copy_n(kIsIntoHole ? kHole : edge, 3, episode().target);
    Place();
  }
  int See(double* object) const override {
    if (kIsIntoHole) return WithPuck::See(object);
    return JoinPose(object, place(), data().xquat + 4 * block_);
  }
  Judged Judge(const double* obs, View<const AnyFloat>) const override {
    const Point tcp = sawyer().Tcp();
    const double* const puck = obs + 4;
    double target[3];
    std::copy_n(episode().target, 3, target);
    if (kIsIntoHole) target[2] = puck[2];
    const double near = Distance3(puck, tcp), far = Distance3(puck, target);
    const double in_place = Tolerance(far, 0, kReached, Distance3(episode().object, target));
    const double caged =
        sawyer().CageByPads(puck, .02, kIsIntoHole ? .005 : .01, kIsIntoHole ? .01 : .005);
    const Number reward = 2 * Number(caged) + 6 * Hamacher(caged, in_place);
    return {.reward = far < kReached ? Number(10) : reward,
            .success = Is(far <= kReached),
            .near_object = Is(near <= .03),
            .grasp_success = Is(IsGripped() && obs[3] > 0),
            .grasp_reward = caged,
            .in_place_reward = in_place,
            .obj_to_target = far};
  }

 private:
  const int block_;
};

// Kick a ball into a goal.
class Soccer : public Task {
 public:
  explicit Soccer(Sawyer& sawyer)
      : Task(sawyer),
        ball_(sawyer.Body("soccer_ball")),
        goal_(sawyer.Body("goal_whole")),
        geom_(sawyer.Geom("objGeom")) {}

  void Edit() override { std::copy_n(episode().vector + 3, 3, sawyer().BodyPlace(goal_)); }
  void Begin() override {
    std::copy_n(episode().vector, 2, episode().object);
    episode().object[2] = .03;
    std::copy_n(episode().vector + 3, 3, episode().target);
    sawyer().PlaceObject(episode().object);
    std::ranges::copy(episode().target, sawyer().GoalPlace());
  }
  int See(double* object) const override {
    return JoinTurned(object, data().xpos + 3 * ball_, data().xmat + 9 * ball_);
  }
  Judged Judge(const double* obs, View<const AnyFloat>) const override {
    constexpr double kIn = .07;  // m
    constexpr double kScale[] = {3, 1, 1};
    const Point tcp = sawyer().Tcp();
    const double *const ball = obs + 4, *const target = episode().target, open = obs[3];
    const double near = Distance3(ball, tcp), far = ScaledDistance(ball, target, kScale);
    double in_place = Tolerance(far, 0, kIn, ScaledDistance(ball, episode().object, kScale));
    const double line = target[1] - .1;
    if (ball[1] > line && std::abs(ball[0] - target[0]) > .10) {
      in_place = Clip(in_place - 2 * ((ball[1] - line) / (1 - line)), 0, 1);
    }
    const double caged = sawyer().CageByPads(ball, .013, .01, .005);
    const double way = Distance3(ball, target);
    const bool is_gripped = sawyer().IsGripped(geom_) && open > 0;
    return {.reward = far < kIn ? 10 : 3 * caged + 6.5 * in_place,
            .success = Is(way <= kIn),
            .near_object = Is(near <= .03),
            .grasp_success = Is(is_gripped && ball[2] - .02 > episode().object[2]),
            .grasp_reward = caged,
            .in_place_reward = in_place,
            .obj_to_target = way};
  }

 private:
  const int ball_, goal_, geom_;
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "push-back-v3",
              .model = "sawyer_push_back_v3.xml",
              .size = 6,
              .low = {-.1, .8, .02, -.1, .6, .0199},
              .high = {.1, .85, .02, .1, .7, .0201},
              .least_distance = .15,
              .goal_low = {-.1, .6, .0199},
              .goal_high = {.1, .7, .0201},
              .hand = {0, .6f, .2f}},
     .make = &Make<PushBack>},
    {.info = {.name = "sweep-v3",
              .model = "sawyer_sweep_v3.xml",
              .low = {-.1, .6, .02},
              .high = {.1, .7, .02},
              .goal_low = {.49, .6, 0},
              .goal_high = {.51, .7, .02}},
     .make = &Make<Sweep<false>>},
    {.info = {.name = "sweep-into-v3",
              .model = "sawyer_table_with_hole.xml",
              .size = 6,
              .low = {-.1, .6, .02, -.001, .8399, .0199},
              .high = {.1, .7, .02, .001, .8401, .0201},
              .least_distance = .15,
              .keeps_from = kHole,
              .goal_low = {-.001, .8399, .0199},
              .goal_high = {.001, .8401, .0201}},
     .make = &Make<Sweep<true>>},
    {.info = {.name = "soccer-v3",
              .model = "sawyer_soccer.xml",
              .size = 6,
              .low = {-.1, .6, .03, -.1, .8, 0},
              .high = {.1, .7, .03, .1, .9, 0},
              .least_distance = .15,
              .goal_low = {-.1, .8, 0},
              .goal_high = {.1, .9, 0}},
     .make = &Make<Soccer>},
};

}  // namespace

std::span<const TaskKind> Sweeps() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
