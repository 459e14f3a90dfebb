#include <cmath>

#include "parallel_pool/envs/mujoco/metaworld/common.h"

namespace parallel_pool::mujoco::metaworld {
namespace {

// Press a handle down.
class HandlePress : public Placed {
 public:
  explicit HandlePress(Sawyer& sawyer)
      : Placed(sawyer, "box"), handle_(sawyer.Site("handleStart")) {}

  void Begin() override {
    std::copy_n(episode().vector, 3, episode().object);
    sawyer().PlaceJoint(-.001, true);
    std::copy_n(data().site_xpos + 3 * sawyer().Site("goalPress"), 3, episode().target);
    std::copy_n(handle(), 3, episode().own);
  }
  int See(double* object) const override { return Join(object, std::span(handle(), 3)); }
  Judged Judge(const double*, View<const AnyFloat>) const override {
    constexpr double kPressed = .02, kHandle = .02;  // m
    const Point tcp = sawyer().Tcp();
    const double target = episode().target[2], far = std::abs(handle()[2] - target);
    const double first = std::abs(episode().own[2] - target);
    const double in_place = Tolerance(far, 0, kPressed, std::abs(first - kPressed));
    const double near = Distance3(handle(), tcp);
    const double near_first = Distance3(episode().own, episode().tcp);
    const double reach = Tolerance(near, 0, kHandle, std::abs(near_first - kHandle));
    const Number reward = far <= kPressed ? Number(1) : Hamacher(reach, in_place);
    return {.reward = reward * 10,
            .success = Is(far <= kPressed),
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

// Pull a handle up: that of a box in front of the robot, or at its side.
template <bool kIsAtSide>
class HandlePull : public Placed {
 public:
  explicit HandlePull(Sawyer& sawyer)
      : Placed(sawyer, "box"), handle_(sawyer.Site(kIsAtSide ? "handleCenter" : "handleRight")) {}

  void Begin() override {
    sawyer().PlaceJoint(-.1, true);
    std::copy_n(data().site_xpos + 3 * sawyer().Site("goalPull"), 3, episode().target);
    std::copy_n(kIsAtSide ? handle() : episode().vector, 3, episode().object);
  }
  int See(double* object) const override { return Join(object, std::span(handle(), 3)); }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    constexpr CageSizes kCage = {.object_radius = kIsAtSide ? .032 : .022,
                                 .pad_distance = kIsAtSide ? .06 : .05,
                                 .xz_distance = .01,
                                 .is_dense = true};
    const Point tcp = sawyer().Tcp();
    const double *const handle = obs + 4, *const began = episode().object, open = obs[3];
    const double far = Way(handle);
    const double in_place = Tolerance(far, 0, kReached, Way(began));
    const Number caged = sawyer().Cage(action, handle, kCage);
    Number reward = Hamacher(caged, in_place);
    const double near = Distance3(handle, tcp);
    // In front, the reference compares y with a height.
    const double height = handle[kIsAtSide ? 2 : 1];
    if (near < .035 && open > 0 && height - .01 > began[2]) {
      reward = reward + (1. + 5. * in_place);
    }
    if (far < kReached) reward = 10;
    return {.reward = reward,
            .success = Is(far <= (kIsAtSide ? .08 : kReached)),
            .near_object = Is(near <= .05),
            .grasp_success = Is(open > 0 && handle[2] - .03 > began[2]),
            .grasp_reward = caged.value(),
            .in_place_reward = in_place,
            .obj_to_target = far};
  }

 private:
  const double* handle() const { return data().site_xpos + 3 * handle_; }
  // How far a place is from the target; in front, only its height counts.
  double Way(const double* place) const {
    const double* const target = episode().target;
    return kIsAtSide ? Distance3(place, target) : std::abs(target[2] - place[2]);
  }

  const int handle_;
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "handle-press-v3",
              .model = "sawyer_handle_press.xml",
              .low = {-.1, .8, -.001},
              .high = {.1, .9, .001},
              .goal_low = {-.1, .55, .04},
              .goal_high = {.1, .7, .08}},
     .make = &Make<HandlePress>},
    {.info = {.name = "handle-press-side-v3",
              .model = "sawyer_handle_press_sideways.xml",
              .low = {-.35, .65, -.001},
              .high = {-.25, .75, .001}},
     .make = &Make<HandlePress>},
    {.info = {.name = "handle-pull-v3",
              .model = "sawyer_handle_press.xml",
              .low = {-.1, .8, -.001},
              .high = {.1, .9, .001},
              .goal_low = {-.1, .55, .04},
              .goal_high = {.1, .7, .18}},
     .make = &Make<HandlePull<false>>},
    {.info = {.name = "handle-pull-side-v3",
              .model = "sawyer_handle_press_sideways.xml",
              .low = {-.35, .65, 0},
              .high = {-.25, .75, 0}},
     .make = &Make<HandlePull<true>>},
};

}  // namespace

std::span<const TaskKind> Handles() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
