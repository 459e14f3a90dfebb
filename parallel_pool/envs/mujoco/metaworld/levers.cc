#include <cmath>

#include "parallel_pool/envs/mujoco/metaworld/common.h"

// Tasks with something that is turned.
namespace parallel_pool::mujoco::metaworld {
namespace {

// Turn a faucet on or off.
template <bool kOpens>
class Faucet : public Placed {
 public:
  explicit Faucet(Sawyer& sawyer)
      : Placed(sawyer, "faucetBase"),
        handle_(sawyer.Site(kOpens ? "handleStartOpen" : "handleStartClose")) {}

  void Begin() override {
    constexpr double kHandle = .175;  // m
    std::copy_n(episode().vector, 3, episode().object);
    Add(episode().vector, {kOpens ? kHandle : -kHandle, 0, .125}, episode().target);
    if (!kOpens) sawyer().simulation().Forward();
    const char* const goal = kOpens ? "goal_open" : "goal_close";
    std::ranges::copy(episode().target, sawyer().GoalPlace(goal));
  }
  int See(double* object) const override {
    double handle[3];
    Add(sawyer().SitePlace(handle_), {0, 0, -.01}, handle);
    return JoinPose(object, handle, data().xquat + 4 * body());
  }
  Judged Judge(const double* obs, View<const AnyFloat>) const override {
    constexpr double kTurned = .07, kHandle = .01;  // m
    const Point tcp = sawyer().Tcp();
    double handle[3];
    std::copy_n(obs + 4, 3, handle);
    if (kOpens) Add(obs + 4, {-.04, 0, .03}, handle);
    const double* const target = episode().target;
    const double far = Distance3(handle, target), first = Distance3(episode().object, target);
    const double in_place = Tolerance(far, 0, kTurned, std::abs(first - kTurned));
    const double near = Distance3(handle, tcp);
    const double near_first = Distance3(episode().object, episode().tcp);
    const double reach = GaussianTolerance(near, 0, kHandle, std::abs(near_first - kHandle));
    return {.reward = far <= kTurned ? 10 : (2 * reach + 3 * in_place) * 2,
            .success = Is(far <= kTurned),
            .near_object = Is(near <= .01),
            .grasp_success = 1,
            .grasp_reward = reach,
            .in_place_reward = in_place,
            .obj_to_target = far};
  }

 private:
  const int handle_;
};

// Turn a dial by half a turn.
class DialTurn : public Placed {
 public:
  explicit DialTurn(Sawyer& sawyer) : Placed(sawyer, "dial") {}

  void Begin() override {
    std::copy_n(episode().vector, 3, episode().object);
    Add(episode().vector, {0, .03, .03}, episode().target);
    FindPush(episode().own);
    std::ranges::copy(episode().target, sawyer().GoalPlace());
  }
  int See(double* object) const override {
    double mark[3];
    FindMark(mark);
    return JoinPose(object, mark, data().xquat + 4 * body());
  }
  Judged Judge(const double*, View<const AnyFloat> action) const override {
    constexpr double kTurned = .07, kPush = .005;  // m
    const Point tcp = sawyer().Tcp();
    double mark[3], push[3];
    FindMark(mark);
    FindPush(push);
    const double *const target = episode().target, *const began = episode().own;
    const double far = Distance3(mark, target);
    const double in_place =
        Tolerance(far, 0, kTurned, std::abs(Distance3(began, target) - kTurned));
    const double near = Distance3(push, tcp);
    const double margin = std::abs(Distance3(began, episode().tcp) - kPush);
    const Number reach = Hamacher(GaussianTolerance(near, 0, kPush, margin), Closed(action));
    return {.reward = 10 * Hamacher(reach, in_place),
            .success = Is(far <= kTurned),
            .near_object = Is(near <= .01),
            .grasp_success = 1,
            .grasp_reward = reach.value(),
            .in_place_reward = in_place,
            .obj_to_target = far};
  }

 private:
  // The mark on the dial, and the place where it is pushed.
  void FindMark(double* mark) const {
    constexpr double kRadius = .05;  // m
    const double angle = data().qpos[9];
    Add(sawyer().BodyPlaceNow(body()), {std::sin(angle) * kRadius, -std::cos(angle) * kRadius, 0},
        mark);
  }
  void FindPush(double* push) const {
    double mark[3];
    FindMark(mark);
    Add(mark, {.05, .02, .09}, push);
  }
};

// Pull a lever up.
class LeverPull : public Placed {
 public:
  explicit LeverPull(Sawyer& sawyer)
      : Placed(sawyer, "lever"), end_(sawyer.Site("leverStart")), geom_(sawyer.Geom("objGeom")) {}

  void Begin() override {
    constexpr double kLength = .2;  // m
    std::copy_n(episode().vector, 3, episode().object);
    Add(episode().vector, {.12, -kLength, .25}, episode().own);
    Add(episode().vector, {.12, 0, .25 + kLength}, episode().target);
    std::ranges::copy(episode().target, sawyer().GoalPlace());
  }
  int See(double* object) const override {
    return JoinTurned(object, sawyer().SitePlace(end_), data().geom_xmat + 9 * geom_);
  }
  Judged Judge(const double* obs, View<const AnyFloat>) const override {
    constexpr double kScale[] = {4, 1, 4};
    const double *const lever = obs + 4, *const target = episode().target;
    double shoulder[3], first[3];
    Add(obs, {0, .055, .07}, shoulder);
    Add(episode().tcp, {0, .055, .07}, first);
    const double near = ScaledDistance(shoulder, lever, kScale);
    const double ready = Tolerance(near, 0, .02, ScaledDistance(first, episode().own, kScale));
    const double rest = std::abs(-data().qpos[9] - mjPI / 2.);  // rad
    const double turned = Tolerance(rest, 0, mjPI / 48., mjPI / 2. - mjPI / 12.);
    const double in_place =
        Tolerance(Distance3(lever, target), 0, .04, Distance3(episode().own, target));
    return {.reward = 10. * Hamacher(ready, in_place),
            .success = Is(rest <= mjPI / 24),
            .near_object = Is(near < .03),
            .grasp_success = Is(ready > .9),
            .grasp_reward = ready,
            .in_place_reward = turned,
            .obj_to_target = near};
  }

 private:
  const int end_, geom_;
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "faucet-open-v3",
              .model = "sawyer_faucet.xml",
              .low = {-.05, .8, 0},
              .high = {.05, .85, 0},
              .goal_low = {-.5, .4, -.15},
              .goal_high = {.5, 1, .5},
              .hand = {0, .4, .2},
              .hand_low = {-.5, .4, -.15}},
     .make = &Make<Faucet<true>>},
    {.info = {.name = "faucet-close-v3",
              .model = "sawyer_faucet.xml",
              .low = {-.1, .8, 0},
              .high = {.1, .85, 0},
              .goal_low = {-.5, .4, -.15},
              .goal_high = {.5, 1, .5},
              .hand = {0, .4, .2},
              .hand_low = {-.5, .4, -.15}},
     .make = &Make<Faucet<false>>},
    {.info = {.name = "dial-turn-v3",
              .model = "sawyer_dial.xml",
              .low = {-.1, .7, 0},
              .high = {.1, .8, 0},
              .goal_low = {-.1, .73, .0299},
              .goal_high = {.1, .83, .0301},
              .hand = {0, .6f, .2f}},
     .make = &Make<DialTurn>},
    {.info = {.name = "lever-pull-v3",
              .model = "sawyer_lever_pull.xml",
              .low = {-.1, .7, 0},
              .high = {.1, .8, 0},
              .goal_low = {-.5, .4, -.15},
              .goal_high = {.5, 1, .5},
              .hand = {0, .4f, .2f},
              .hand_low = {-.5, .4, -.15}},
     .make = &Make<LeverPull>},
};

}  // namespace

std::span<const TaskKind> Levers() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
