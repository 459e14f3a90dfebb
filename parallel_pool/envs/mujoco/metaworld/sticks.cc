#include <cmath>

#include "parallel_pool/envs/mujoco/metaworld/common.h"

// Tasks with a stick that moves a thermos.
namespace parallel_pool::mujoco::metaworld {
namespace {

class WithStick : public Task {
 public:
  // `handle`: of the thermos, from the place where the stick goes in, along y in m.
  WithStick(Sawyer& sawyer, double handle)
      : Task(sawyer),
        stick_(sawyer.Body("stick")),
        thermos_(sawyer.Body("object")),
        geom_(sawyer.Geom("objGeom")),
        hole_(sawyer.Site("insertion")),
        handle_(handle) {}

  int See(double* object) const override {
    double quat[4], handle[3];
    MatrixToQuat(data().xmat + 9 * stick_, quat);
    Add(hole(), {0, handle_, 0}, handle);
    return Join(object, std::span(data().xpos + 3 * stick_, 3), quat, handle);
  }

 protected:
  const double* hole() const { return sawyer().SitePlace(hole_); }
  bool IsGripped() const { return sawyer().IsGripped(geom_); }
  // The episode's object is the stick, and its own numbers are the thermos'.
  void Place(double height, double thermos_y) {
    const double* const vector = episode().vector;
    const double stick[] = {vector[0], vector[1], .02}, target[] = {vector[3], vector[4], height};
    std::ranges::copy(stick, episode().object);
    std::ranges::copy(target, episode().target);
    sawyer().PlaceObject(stick);
    sawyer().PlaceSlide(0, thermos_y);
    std::copy_n(sawyer().BodyPlaceNow(thermos_), 3, episode().own);
    std::ranges::copy(target, sawyer().GoalPlace());
  }

 private:
  const int stick_, thermos_, geom_, hole_;
  const double handle_;
};

// Push the thermos with the stick.
class StickPush : public WithStick {
 public:
  explicit StickPush(Sawyer& sawyer) : WithStick(sawyer, .09) {}

  void Begin() override { Place(hole()[2], 0); }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    constexpr double kThere = .12;  // m
    const Point tcp = sawyer().Tcp();
    double stick[3];
    Add(obs + 4, {.015, 0, 0}, stick);
    const double *const thermos = obs + 11, *const target = episode().target, open = obs[3];
    const double *const stick_began = episode().object, *const thermos_began = episode().own;
    const auto in_place = [&](const double* place, const double* began) {
      return Tolerance(Distance3(place, target), 0, kThere, Distance3(began, target) - kThere);
    };
    const double near = Distance3(stick, tcp), far = Distance3(thermos, target);
    const double stick_there = in_place(stick, stick_began);
    Number caged = sawyer().Cage(
        action, stick,
        {.object_radius = .04, .pad_distance = .05, .xz_distance = .01, .is_dense = true});
    Number reward = caged;
    const bool is_lifted = open > 0 && stick[2] - .01 > stick_began[2];
    if (near < .02 && is_lifted) {
      caged = 1;
      reward = 2. + 5. * stick_there + 3. * in_place(thermos, thermos_began);
      if (far <= kThere) reward = 10;
    }
    const bool is_gripped = IsGripped() && is_lifted;
    return {.reward = reward,
            .success = Is(is_gripped && far <= kThere),
            .near_object = Is(near <= .03),
            .grasp_success = Is(is_gripped),
            .grasp_reward = caged.value(),
            .in_place_reward = stick_there,
            .obj_to_target = far};
  }
};

// Pull the thermos by its handle with the stick.
class StickPull : public WithStick {
 public:
  explicit StickPull(Sawyer& sawyer) : WithStick(sawyer, 0), end_(sawyer.Site("stick_end")) {}

  void Begin() override {
    Place(.02, .09);
    // The cage compares with where the thermos was, as there.
    std::swap_ranges(episode().object, episode().object + 3, episode().own);
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    constexpr double kScale[] = {1, 1, 2}, kThere = .12;  // kThere: m
    const Point tcp = sawyer().Tcp();
    double thermos[3], thermos_began[3];
    const double *const stick = obs + 4, *const handle = obs + 11, open = obs[3];
    const double *const target = episode().target, *const began = episode().own;
    Add(handle, {.05, 0, 0}, thermos);
    Add(episode().object, {.05, 0, 0}, thermos_began);
    const double near = Distance3(stick, tcp), far = Distance3(handle, target);
    const double at_thermos = Tolerance(ScaledDistance(stick, thermos, kScale), 0, kReached,
                                        ScaledDistance(began, thermos_began, kScale));
    Number caged = sawyer().Cage(
        action, stick,
        {.object_radius = .014, .pad_distance = .05, .xz_distance = .01, .is_dense = true});
    const bool is_held = near < .02 && open > 0 && stick[2] - .01 > began[2];
    if (is_held) caged = 1;
    const Number both = Hamacher(caged, at_thermos);
    Number reward = both;
    const bool is_inserted = IsInserted(handle);
    if (is_held && is_inserted) {
      const double stick_there =
          Tolerance(Distance3(stick, target), 0, kReached, Distance3(began, target));
      const double thermos_there =
          Tolerance(Distance3(thermos, target), 0, kReached, Distance3(episode().object, target));
      reward = 1. + both + 5. + 2. * stick_there + 1. * thermos_there;
      if (far <= kThere) reward = 10;
    } else if (is_held) {
      reward = 1. + both + 5. * at_thermos;
    }
    return {.reward = reward,
            .success = Is(far <= kThere && is_inserted),
            .near_object = Is(near <= .03),
            .grasp_success = Is(IsGripped() && open > 0 && stick[2] - .02 > episode().object[2]),
            .grasp_reward = caged.value(),
            .in_place_reward = at_thermos,
            .obj_to_target = far};
  }

 private:
  bool IsInserted(const double* handle) const {
    const double* const end = sawyer().SitePlace(end_);
    return end[0] >= handle[0] && std::abs(end[1] - handle[1]) <= .04 &&
           std::abs(end[2] - handle[2]) <= .06;
  }

  const int end_;
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "stick-push-v3",
              .model = "sawyer_stick_obj.xml",
              .size = 6,
              .low = {-.08, .58, 0, .399, .55, .1319},
              .high = {-.03, .62, .001, .401, .6, .1321},
              .least_distance = .1,
              .goal_low = {.399, .55, .1319},
              .goal_high = {.401, .6, .1321}},
     .make = &Make<StickPush>},
    {.info = {.name = "stick-pull-v3",
              .model = "sawyer_stick_obj.xml",
              .size = 6,
              .low = {-.1, .55, 0, .35, .45, .0199},
              .high = {0, .65, .001, .45, .55, .0201},
              .least_distance = .1,
              .goal_low = {.35, .45, .0199},
              .goal_high = {.45, .55, .0201},
              .hand_low = {-.5, .35, .05}},
     .make = &Make<StickPull>},
};

}  // namespace

std::span<const TaskKind> Sticks() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
