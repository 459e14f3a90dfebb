#include "parallel_pool/envs/mujoco/metaworld/common.h"

// Tasks with a plate that slides into a goal.
namespace parallel_pool::mujoco::metaworld {
namespace {

// The ways in which a plate slides.
struct PlateRules {
  double x, y;    // where the plate begins, m
  int goal = -1;  // the number of the episode's vector where the goal's place begins; -1: fixed
  bool is_forward = false;
};
constexpr PlateRules kForward = {.x = 0, .y = 0, .goal = 3, .is_forward = true};
constexpr PlateRules kBack = {.x = 0, .y = .15};
constexpr PlateRules kSideways = {.x = 0, .y = 0};
constexpr PlateRules kBackSideways = {.x = -.15, .y = 0, .goal = 0};

template <const PlateRules& kRules>
class Plate : public Task {
 public:
  explicit Plate(Sawyer& sawyer)
      : Task(sawyer), goal_(sawyer.Body("puck_goal")), plate_(sawyer.Geom("puck")) {}

  void Edit() override {
    if (kRules.goal < 0) return;
    std::copy_n(episode().vector + kRules.goal, 3, sawyer().BodyPlace(goal_));
  }
  void Begin() override {
    TakePlaces();
    sawyer().PlacePlate(kRules.x, kRules.y);
    std::ranges::copy(episode().target, sawyer().GoalPlace());
  }
  int See(double* object) const override {
    return JoinTurned(object, data().geom_xpos + 3 * plate_, data().geom_xmat + 9 * plate_);
  }
  Judged Judge(const double* obs, View<const AnyFloat>) const override {
    constexpr double kLess = kRules.is_forward ? 0 : kReached;
    const Point tcp = sawyer().Tcp();
    const double *const plate = obs + 4, *const target = episode().target;
    const double far = Distance3(plate, target), near = Distance3(tcp, plate);
    const double first = Distance3(episode().object, target);
    const double in_place = Tolerance(far, 0, kReached, first - kLess);
    const double near_first = Distance3(episode().tcp, episode().object);
    const double reach = Tolerance(near, 0, kReached, near_first - kLess);
    Number reward = kRules.is_forward ? 8 * Hamacher(reach, in_place) : Number(1.5 * reach);
    if (!kRules.is_forward && tcp[2] <= .03 && near < .07) reward = 2. + 7. * in_place;
    if (far < kReached) reward = 10;
    return {.reward = reward,
            .success = Is(far <= .07),
            .near_object = Is(near <= .03),
            .grasp_reward = reach,
            .in_place_reward = in_place,
            .obj_to_target = far};
  }

 private:
  const int goal_, plate_;
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "plate-slide-v3",
              .model = "sawyer_plate_slide.xml",
              .size = 6,
              .low = {0, .6, 0, -.1, .85, 0},
              .high = {0, .6, 0, .1, .9, 0},
              .goal_low = {-.1, .85, 0},
              .goal_high = {.1, .9, 0},
              .hand = {0, .6f, .2f}},
     .make = &Make<Plate<kForward>>},
    {.info = {.name = "plate-slide-back-v3",
              .model = "sawyer_plate_slide.xml",
              .size = 6,
              .low = {0, .85, 0, -.1, .6, .015},
              .high = {0, .85, 0, .1, .6, .015},
              .goal_low = {-.1, .6, .015},
              .goal_high = {.1, .6, .015},
              .hand = {0, .6f, .2f}},
     .make = &Make<Plate<kBack>>},
    {.info = {.name = "plate-slide-side-v3",
              .model = "sawyer_plate_slide_sideway.xml",
              .size = 6,
              .low = {0, .6, 0, -.3, .54, 0},
              .high = {0, .6, 0, -.25, .66, 0},
              .goal_low = {-.3, .54, 0},
              .goal_high = {-.25, .66, 0},
              .hand = {0, .6f, .2f}},
     .make = &Make<Plate<kSideways>>},
    {.info = {.name = "plate-slide-back-side-v3",
              .model = "sawyer_plate_slide_sideway.xml",
              .size = 6,
              .low = {-.25, .6, 0, -.05, .6, .015},
              .high = {-.25, .6, 0, .15, .6, .015},
              .goal_low = {-.05, .6, .015},
              .goal_high = {.15, .6, .015},
              .hand = {0, .6f, .2f}},
     .make = &Make<Plate<kBackSideways>>},
};

}  // namespace

std::span<const TaskKind> Plates() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
