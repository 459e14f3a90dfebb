#include <algorithm>

#include "parallel_pool/envs/mujoco/engine/numpy_math.h"
#include "parallel_pool/envs/mujoco/engine/rows.h"
#include "parallel_pool/envs/mujoco/metaworld/puck.h"

// Tasks with an object that is lifted to a place above the table.
namespace parallel_pool::mujoco::metaworld {
namespace {

// Throw a ball into a basket.
class Basketball : public Task {
 public:
  explicit Basketball(Sawyer& sawyer)
      : Task(sawyer),
        ball_(sawyer.Body("bsktball")),
        basket_(sawyer.Body("basket_goal")),
        goal_(sawyer.Site("goal")) {}

  void Edit() override { std::copy_n(episode().vector + 3, 3, sawyer().BodyPlace(basket_)); }
  void Begin() override {
    std::copy_n(episode().vector, 2, episode().object);
    episode().object[2] = .03f;
    sawyer().PlaceObject(episode().object);
    std::copy_n(sawyer().SitePlace(goal_), 3, episode().target);
  }
  int See(double* object) const override {
    return JoinPose(object, data().xpos + 3 * ball_, data().xquat + 4 * ball_);
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    constexpr double kScale[] = {1, 1, 2}, kIn = .08;  // kIn: m
    const Point tcp = sawyer().Tcp();
    const double *const ball = obs + 4, *const began = episode().object, open = obs[3];
    const double target[] = {episode().target[0], episode().target[1], .3};
    const double far = ScaledDistance(ball, target, kScale), near = Distance3(ball, tcp);
    const double in_place = Tolerance(far, 0, kIn, ScaledDistance(began, target, kScale));
    Number caged = sawyer().Cage(
        action, ball,
        {.object_radius = .025, .pad_distance = .06, .xz_distance = .005, .is_dense = true});
    const bool is_lifted = near < .035 && open > 0 && ball[2] - .01 > began[2];
    if (is_lifted) caged = 1;
    Number reward = Hamacher(caged, in_place);
    if (is_lifted) reward = reward + (1. + 5. * in_place);
    if (far < kIn) reward = 10;
    return {.reward = reward,
            .success = Is(far <= kIn),
            .near_object = Is(near <= .05),
            .grasp_success = Is(open > 0 && ball[2] - .03 > began[2]),
            .grasp_reward = caged.value(),
            .in_place_reward = in_place,
            .obj_to_target = far};
  }

 private:
  const int ball_, basket_, goal_;
};

// Put the lid on a box.
class BoxClose : public Task {
 public:
  explicit BoxClose(Sawyer& sawyer)
      : Task(sawyer), box_(sawyer.Body("boxbody")), lid_(sawyer.Body("top_link")) {}

  void Edit() override { std::copy_n(episode().vector + 3, 2, sawyer().BodyPlace(box_)); }
  void Begin() override {
    std::copy_n(episode().vector, 2, episode().object);
    episode().object[2] = .02f;
    std::copy_n(episode().vector + 3, 3, episode().target);
    sawyer().Run(5);
    sawyer().PlaceObject(episode().object);
    std::ranges::copy(episode().target, sawyer().GoalPlace());
  }
  int See(double* object) const override {
    return JoinPose(object, data().xpos + 3 * lid_, data().xquat + 4 * lid_);
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    constexpr double kLevel[] = {.707, 0, 0, .707};
    const double grab = std::clamp(ClosedPart(action), 0.0, 1.0);
    double tilt[4];
    for (int i = 0; i < 4; ++i) tilt[i] = obs[7 + i] - kLevel[i];
    const double level = std::max(1. - Norm(tilt, 4) / .2, 0.);
    const double *const hand = obs, *const target = episode().target;
    double lid[3];
    Add(obs + 4, {0, 0, .02}, lid);
    const double across[] = {hand[0] - lid[0], hand[1] - lid[1]};
    const double floor = FunnelFloor(Norm(across, 2), .02, .04, .4);
    const double above = hand[2] >= floor ? 1 : Tolerance(floor - hand[2], 0, .01, floor / 2.);
    const double ready = Hamacher(above, Tolerance(Distance3(hand, lid), 0, .02, .5)).value();
    const double lifted =
        .2 * Is(lid[2] > .04) + .8 * Tolerance(ScaledDistance(target, lid, {1, 1, 3}), 0, .05, .25);
    const bool is_closed = Distance3(obs + 4, target) < .08;
    const double reward = is_closed ? 10 : 2. * Hamacher(grab, ready).value() + 8. * lifted;
    return {.reward = reward * level,
            .success = Is(is_closed),
            .near_object = ready,
            .grasp_success = Is(grab >= .5),
            .grasp_reward = grab,
            .in_place_reward = lifted,
            .obj_to_target = 0};
  }

 private:
  const int box_, lid_;
};

// Put the puck on a shelf.
class ShelfPlace : public WithPuck {
 public:
  explicit ShelfPlace(Sawyer& sawyer) : WithPuck(sawyer), shelf_(sawyer.Body("shelf")) {}

  void Edit() override {
    const double* const vector = episode().vector;
    const double shelf[] = {vector[3], vector[4], vector[5] - .3};
    std::ranges::copy(shelf, sawyer().BodyPlace(shelf_));
  }
  void Begin() override {
    TakePlaces(false);
    const double *const above = sawyer().GoalPlace(), *const shelf = sawyer().BodyPlace(shelf_);
    for (int i = 0; i < 3; ++i) episode().target[i] = above[i] + shelf[i];
    sawyer().PlaceObject(episode().object);
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    const Point tcp = sawyer().Tcp();
    const double *const puck = obs + 4, *const target = episode().target, open = obs[3];
    const double* const began = episode().object;
    const double far = Distance3(puck, target), near = Distance3(puck, tcp);
    const double there = Tolerance(far, 0, kReached, Distance3(began, target));
    const Number caged = sawyer().Cage(
        action, puck, {.object_radius = .02, .pad_distance = .05, .xz_distance = .01});
    Number reward = Hamacher(caged, there);
    const Number in_place = BelowShelf(puck, there);
    if (near < .025 && open > 0 && puck[2] - .01 > began[2]) reward = reward + (1. + 5. * in_place);
    if (far < kReached) reward = 10;
    return {.reward = reward,
            .success = Is(far <= .07),
            .near_object = Is(near <= .03),
            .grasp_success = Is(IsGripped() && open > 0 && puck[2] - .02 > began[2]),
            .grasp_reward = caged.value(),
            .in_place_reward = in_place.value(),
            .obj_to_target = far};
  }

 private:
  // The part of the reward for being there, less where the puck is under the shelf.
  Number BelowShelf(const double* puck, double there) const {
    constexpr double kHeight = .24, kDepth = 3 * kReached;  // m
    const double* const target = episode().target;
    const bool is_low = 0 < puck[2] && puck[2] < kHeight;
    if (!is_low || !(target[0] - .15 < puck[0] && puck[0] < target[0] + .15)) return there;
    if (puck[1] > target[1]) return 0;
    if (!(target[1] - kDepth < puck[1] && puck[1] < target[1])) return there;
    const double up = (kHeight - puck[2]) / kHeight, in = (puck[1] - (target[1] - kDepth)) / kDepth;
    return Number::Float64(Clip(there - Hamacher(in, up).value(), 0, 1));
  }

  const int shelf_;
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "basketball-v3",
              .model = "sawyer_basketball.xml",
              .size = 6,
              .low = {-.1, .6, .0299, -.1, .85, 0},
              .high = {.1, .7, .0301, .1, .9 + 1e-7, 0},
              .least_distance = .15,
              .goal_low = {-.1, .85 - .083, .2499},
              .goal_high = {.1, .9 + 1e-7 - .083, .2501},
              .hand = {0, .6f, .2f}},
     .make = &Make<Basketball>},
    {.info = {.name = "box-close-v3",
              .model = "sawyer_box.xml",
              .size = 6,
              .low = {-.05, .5, .02, -.1, .7, .133},
              .high = {.05, .55, .02, .1, .8, .133},
              .least_distance = .25,
              .goal_low = {-.1, .7, .133},
              .goal_high = {.1, .8, .133},
              .hand = {0, .6f, .2f}},
     .make = &Make<BoxClose>},
    {.info = {.name = "shelf-place-v3",
              .model = "sawyer_shelf_placing.xml",
              .size = 6,
              .low = {-.1, .5, .019, -.1, .8, .299},
              .high = {.1, .6, .021, .1, .9, .301},
              .least_distance = .1,
              .goal_low = {-.1, .8, .299},
              .goal_high = {.1, .9, .301},
              .hand = {0, .6f, .2f}},
     .make = &Make<ShelfPlace>},
};

}  // namespace

std::span<const TaskKind> Lifts() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
