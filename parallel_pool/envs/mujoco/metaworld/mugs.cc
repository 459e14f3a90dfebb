#include "parallel_pool/envs/mujoco/metaworld/puck.h"

// Tasks with a mug and a coffee machine.
namespace parallel_pool::mujoco::metaworld {
namespace {

// Push the mug under the machine, or pull it away from there.
template <bool kIsPush>
class Mug : public Task {
 public:
  explicit Mug(Sawyer& sawyer)
      : Task(sawyer),
        machine_(sawyer.Body("coffee_machine")),
        mug_(sawyer.Body("obj")),
        geom_(sawyer.Geom("mug")) {}

  void Edit() override {
    const double* const below = episode().vector + (kIsPush ? 3 : 0);
    Add(below, {0, .22, 0}, sawyer().BodyPlace(machine_));
  }
  void Begin() override {
    TakePlaces();
    sawyer().PlaceMug(episode().object);
    std::ranges::copy(episode().target, sawyer().GoalPlace("mug_goal"));
  }
  int See(double* object) const override {
    return JoinTurned(object, data().xpos + 3 * mug_, data().geom_xmat + 9 * geom_);
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    constexpr double kScale[] = {2, 2, 1};
    const Point tcp = sawyer().Tcp();
    const double *const mug = obs + 4, *const target = episode().target, open = obs[3];
    const double far = ScaledDistance(mug, target, kScale), near = Distance3(mug, tcp);
    const double first = ScaledDistance(episode().object, target, kScale);
    const double in_place = Tolerance(far, 0, kReached, first);
    const Number caged = sawyer().Cage(action, mug,
                                       {.object_radius = .02,
                                        .pad_distance = .05,
                                        .xz_distance = .05,
                                        .effort = .7,
                                        .medium_reach = .04});
    Number reward = Hamacher(caged, in_place);
    if (near < .04 && open > 0) reward = reward + (1. + 5. * in_place);
    if (far < kReached) reward = 10;
    const double way = Distance3(mug, target);
    return {.reward = reward,
            .success = Is(way <= .07),
            .near_object = Is(near <= .03),
            .grasp_success = Is(sawyer().IsGripped(geom_) && open > 0),
            .grasp_reward = caged.value(),
            .in_place_reward = in_place,
            .obj_to_target = way};
  }

 private:
  const int machine_, mug_, geom_;
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "coffee-pull-v3",
              .model = "sawyer_coffee.xml",
              .size = 6,
              .low = {-.05, .7, -.001, -.1, .55, -.001},
              .high = {.05, .75, .001, .1, .65, .001},
              .least_distance = .15,
              .goal_low = {-.1, .55, -.001},
              .goal_high = {.1, .65, .001},
              .hand = {0, .4, .2}},
     .make = &Make<Mug<false>>},
    {.info = {.name = "coffee-push-v3",
              .model = "sawyer_coffee.xml",
              .size = 6,
              .low = {-.1, .55, -.001, -.05, .7, -.001},
              .high = {.1, .65, .001, .05, .75, .001},
              .least_distance = .15,
              .goal_low = {-.05, .7, -.001},
              .goal_high = {.05, .75, .001},
              .hand = {0, .4, .2}},
     .make = &Make<Mug<true>>},
};

}  // namespace

std::span<const TaskKind> Mugs() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
