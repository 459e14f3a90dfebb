#include <cmath>

#include "parallel_pool/envs/mujoco/engine/numpy_math.h"
#include "parallel_pool/envs/mujoco/metaworld/common.h"

namespace parallel_pool::mujoco::metaworld {
namespace {

// Pull a drawer open by its handle.
class DrawerOpen : public Placed {
 public:
  explicit DrawerOpen(Sawyer& sawyer)
      : Placed(sawyer, "drawer"), link_(sawyer.Body("drawer_link")) {}

  void Begin() override {
    constexpr double kHandle = -.16, kOpen = .2;  // along y, m
    const double* const v = episode().vector;
    const double target[] = {v[0], v[1] + (kHandle - kOpen), v[2] + .09};
    std::copy_n(v, 3, episode().object);
    std::ranges::copy(target, episode().target);
    std::ranges::copy(target, sawyer().GoalPlace());
  }
  int See(double* object) const override {
    const double* const place = data().xpos + 3 * link_;
    const double handle[] = {place[0], place[1] - .16, place[2]};
    return JoinPose(object, handle, data().xquat + 4 * link_);
  }
  Judged Judge(const double* obs, View<const AnyFloat>) const override {
    const double *const hand = obs, *const handle = obs + 4, *const target = episode().target;
    const double far = Distance3(handle, target), opening = Tolerance(far, 0, .02, .2);
    const double closed[] = {target[0], target[1] + .2, target[2]};
    double now[3], first[3];  // from the hand to the handle; across counts more than up
    constexpr double kScale[] = {3, 3, 1};
    for (int i = 0; i < 3; ++i) {
      now[i] = (handle[i] - hand[i]) * kScale[i];
      first[i] = (closed[i] - episode().tcp[i]) * kScale[i];
    }
    constexpr double kZero[3] = {};
    const double caged = Tolerance(Distance3(now, kZero), 0, .01, Distance3(first, kZero));
    return {.reward = (caged + opening) * 5.,
            .success = Is(far <= .03),
            .near_object = Is(Distance3(handle, hand) <= .03),
            .grasp_success = Is(obs[3] > 0),
            .grasp_reward = caged,
            .in_place_reward = opening,
            .obj_to_target = far};
  }

 private:
  const int link_;
};

// Push a drawer shut.
class DrawerClose : public Placed {
 public:
  explicit DrawerClose(Sawyer& sawyer)
      : Placed(sawyer, "drawer"), link_(sawyer.Body("drawer_link")) {}

  void Begin() override {
    Add(episode().vector, {0, -.16, .09}, episode().target);
    sawyer().PlaceJoint(-.15, false);
    FindHandle(episode().object);
    std::ranges::copy(episode().target, sawyer().GoalPlace());
  }
  int See(double* object) const override {
    FindHandle(object);
    return 3;
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    constexpr double kHandle = .005;  // m
    const Point tcp = sawyer().Tcp();
    const double *const handle = obs + 4, *const target = episode().target;
    const double far = Distance3(handle, target), first = Distance3(episode().object, target);
    const double in_place = Tolerance(far, 0, kReached, std::abs(first - kReached));
    const double near = Distance3(handle, tcp);
    const double near_first = Distance3(episode().object, episode().tcp);
    const Number reach = Hamacher(
        GaussianTolerance(near, 0, kHandle, std::abs(near_first - kHandle)), Closed(action));
    Number reward = Hamacher(reach, in_place);
    if (far <= kReached + .015) reward = 1;
    return {.reward = reward * 10,
            .success = Is(far <= kReached + .015),
            .near_object = Is(near <= .01),
            .grasp_success = 1,
            .grasp_reward = reach.value(),
            .in_place_reward = in_place,
            .obj_to_target = far};
  }

 private:
  void FindHandle(double* handle) const { Add(data().xpos + 3 * link_, {0, -.16, .05}, handle); }

  const int link_;
};

// Slide a window open, or shut.
template <bool kOpens>
class Window : public Placed {
 public:
  explicit Window(Sawyer& sawyer)
      : Placed(sawyer, "window"),
        handle_(sawyer.Site(kOpens ? "handleOpenStart" : "handleCloseStart")) {}

  // The first observation is that of the state before the window is placed.
  void Begin() override {
    constexpr double kWay = .2;  // m
    std::copy_n(episode().vector, 3, episode().object);
    Add(episode().vector, {kOpens ? kWay : 0, 0, 0}, episode().target);
    Add(handle(), {kOpens ? 0 : kWay, 0, 0}, episode().own);
    sawyer().simulation().data().qpos[9] = kOpens ? 0 : kWay;
    std::ranges::copy(episode().target, sawyer().GoalPlace());
  }
  int See(double* object) const override { return Join(object, std::span(handle(), 3)); }
  Judged Judge(const double*, View<const AnyFloat>) const override {
    constexpr double kHandle = .02;  // m
    const Point tcp = sawyer().Tcp();
    const double* const target = episode().target;
    const double far = std::abs(handle()[0] - target[0]);
    const double first = std::abs((kOpens ? episode().object : episode().own)[0] - target[0]);
    const double in_place = Tolerance(far, 0, kReached, std::abs(first - kReached));
    const double near = Distance3(handle(), tcp);
    const double margin = std::abs(Distance3(episode().own, episode().tcp) - kHandle);
    const double reach =
        kOpens ? Tolerance(near, 0, kHandle, margin) : GaussianTolerance(near, 0, kHandle, margin);
    return {.reward = 10 * Hamacher(reach, in_place),
            .success = Is(far <= kReached),
            .near_object = Is(near <= .05),
            .grasp_success = 1,
            .grasp_reward = reach,
            .in_place_reward = in_place,
            .obj_to_target = far};
  }

 private:
  const double* handle() const { return data().site_xpos + 3 * handle_; }

  const int handle_;
};

// Pull a door open by its handle.
class DoorOpen : public Placed {
 public:
  explicit DoorOpen(Sawyer& sawyer) : Placed(sawyer, "door"), handle_(sawyer.Geom("handle")) {}

  void Begin() override {
    std::copy_n(episode().vector, 3, episode().object);
    Add(episode().vector, {-.3, -.45, 0}, episode().target);
    std::ranges::copy(episode().target, sawyer().GoalPlace());
    sawyer().PlaceJoint(0, true);
  }
  int See(double* object) const override {
    return JoinTurned(object, data().geom_xpos + 3 * handle_, data().geom_xmat + 9 * handle_);
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    const double grab = ClosedPart(action);
    const double ready = Ready(obs), opened = Opened(data().qpos[9]);
    const bool is_open = std::abs(obs[4] - episode().target[0]) <= .08;
    const Number reward = 2. * Hamacher(ready, grab) + 8. * opened;
    return {.reward = is_open ? Number(10) : reward,
            .success = Is(is_open),
            .near_object = ready,
            .grasp_success = Is(grab >= .5),
            .grasp_reward = grab,
            .in_place_reward = opened,
            .obj_to_target = 0};
  }

 private:
  // Whether the hand is between the handle and the door, and came there from above.
  static double Ready(const double* obs) {
    constexpr double kNear = .12;  // m
    const double* const hand = obs;
    double door[3];
    Add(obs + 4, {-.05, 0, 0}, door);
    const double across[] = {hand[0] - door[0], hand[1] - door[1]};
    const double radius = Norm(across, 2);
    const double floor = FunnelFloor(radius, kNear, .04, .4);
    const double above = hand[2] >= floor ? 1 : Tolerance(floor - hand[2], 0, .01, floor / 2.);
    constexpr double kBehind[] = {.05, .03, -.01};
    double apart[3];
    for (int i = 0; i < 3; ++i) apart[i] = hand[i] - door[i] - kBehind[i];
    return Hamacher(above, Tolerance(Norm(apart, 3), 0, kNear / 2., .5)).value();
  }
  static double Opened(double angle) {
    const double rest = mjPI / 2. + mjPI / 6 + angle;
    return .2 * Is(angle < -mjPI / 90.) + .8 * Tolerance(rest, 0, .5, mjPI / 3.);
  }

  const int handle_;
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "drawer-open-v3",
              .model = "sawyer_drawer.xml",
              .low = {-.1, .9, 0},
              .high = {.1, .9, 0},
              .hand = {0, .6f, .2f}},
     .make = &Make<DrawerOpen>},
    {.info = {.name = "drawer-close-v3",
              .model = "sawyer_drawer.xml",
              .low = {-.1, .9, 0},
              .high = {.1, .9, 0},
              .hand = {0, .6f, .2f}},
     .make = &Make<DrawerClose>},
    {.info = {.name = "window-open-v3",
              .model = "sawyer_window_horizontal.xml",
              .low = {-.1, .7, .16},
              .high = {.1, .9, .16},
              .hand = {0, .4f, .2f}},
     .make = &Make<Window<true>>},
    {.info = {.name = "window-close-v3",
              .model = "sawyer_window_horizontal.xml",
              .low = {0, .75, .2},
              .high = {0, .9, .2},
              .hand = {0, .4f, .2f}},
     .make = &Make<Window<false>>},
    {.info = {.name = "door-open-v3",
              .model = "sawyer_door_pull.xml",
              .low = {0, .85, .15},
              .high = {.1, .95, .15},
              .goal_low = {-.3, .4, .1499},
              .goal_high = {-.2, .5, .1501}},
     .make = &Make<DoorOpen>},
};

}  // namespace

std::span<const TaskKind> Doors() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
