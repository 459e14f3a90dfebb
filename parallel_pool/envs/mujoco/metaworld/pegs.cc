#include <cmath>

#include "parallel_pool/envs/mujoco/engine/numpy_math.h"
#include "parallel_pool/envs/mujoco/metaworld/common.h"

namespace parallel_pool::mujoco::metaworld {
namespace {

// Insert a peg into the hole of a box, from the side.
class PegInsertSide : public Task {
 public:
  explicit PegInsertSide(Sawyer& sawyer)
      : Task(sawyer),
        box_(sawyer.Body("box")),
        grasp_(sawyer.Site("pegGrasp")),
        head_(sawyer.Site("pegHead")),
        blocks_{{sawyer.Site("bottom_right_corner_collision_box_1"),
                 sawyer.Site("top_left_corner_collision_box_1")},
                {sawyer.Site("bottom_right_corner_collision_box_2"),
                 sawyer.Site("top_left_corner_collision_box_2")}} {}

  void Edit() override { std::copy_n(episode().vector + 3, 3, sawyer().BodyPlace(box_)); }
  void Begin() override {
    std::copy_n(Site(head_), 3, episode().own);  // before the peg is placed, as there
    std::copy_n(episode().vector, 3, episode().object);
    sawyer().PlaceObject(episode().object);
    Add(episode().vector + 3, {.03, 0, .13}, episode().target);
    std::ranges::copy(episode().target, sawyer().GoalPlace());
  }
  int See(double* object) const override {
    return JoinTurned(object, Site(grasp_), data().site_xmat + 9 * grasp_);
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    const Point tcp = sawyer().Tcp();
    const double *const peg = obs + 4, open = obs[3];
    const double near = Distance3(peg, tcp), far = ToHole(Site(head_));
    const bool is_lifted = open > 0 && peg[2] - .01 > episode().object[2];
    const Number in_place = Hamacher(Tolerance(far, 0, kInserted, ToHole(episode().own)),
                                     Hamacher(Passed(blocks_[1]), Passed(blocks_[0])));
    Number caged = sawyer().Cage(
        action, peg,
        {.object_radius = .0075, .pad_distance = .03, .xz_distance = .005, .is_dense = true});
    if (near < .08 && is_lifted) caged = 1;
    Number reward = Hamacher(caged, in_place);
    if (near < .08 && is_lifted) reward = reward + (1. + 5 * in_place);
    if (far <= kInserted) reward = 10;
    return {.reward = reward,
            .success = Is(far <= kInserted),
            .near_object = Is(near <= .03),
            .grasp_success = Is(near < .02 && is_lifted),
            .grasp_reward = caged.value(),
            .in_place_reward = in_place.value(),
            .obj_to_target = far};
  }

 private:
  static constexpr double kInserted = .07;  // m

  // The corners of a block next to the hole, where the head must not be.
  struct Block { int outer, inner; };

  const double* Site(int site) const { return data().site_xpos + 3 * site; }
  double ToHole(const double* head) const {
    const double* const target = episode().target;
    const double way[] = {head[0] - target[0], (head[1] - target[1]) * 2,
                          (head[2] - target[2]) * 2};
    return Norm(way, 3);
  }
  // How far the head has passed a block from its outer to its inner corner; 1 outside of it.
  Number Passed(const Block& block) const {
    const double *const head = Site(head_), *const outer = Site(block.outer);
    const double* const inner = Site(block.inner);
    double part[3];
    for (int i = 0; i < 3; ++i) {
      const double low = std::min(outer[i], inner[i]), high = std::max(outer[i], inner[i]);
      if (head[i] < low || high < head[i]) return 1;
      part[i] = (head[i] - outer[i]) / (inner[i] - outer[i]);
    }
    return Number::Float64(part[0] * part[1] * part[2]);
  }

  const int box_, grasp_, head_;
  const Block blocks_[2];
};

// Pull the plug out of a box, to the side.
class PegUnplugSide : public Placed {
 public:
  explicit PegUnplugSide(Sawyer& sawyer)
      : Placed(sawyer, "box"), plug_(sawyer.Body("plug1")), end_(sawyer.Site("pegEnd")) {}

  void Begin() override {
    double plug[3];
    Add(episode().vector, {.044, 0, .131}, plug);
    sawyer().PlacePlug(plug);
    std::copy_n(sawyer().SitePlace(end_), 3, episode().object);
    Add(plug, {.15, 0, 0}, episode().target);
    std::ranges::copy(episode().target, sawyer().GoalPlace());
  }
  int See(double* object) const override {
    return JoinPose(object, sawyer().SitePlace(end_), data().xquat + 4 * plug_);
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    const Point tcp = sawyer().Tcp();
    const double *const end = obs + 4, *const target = episode().target;
    const double near = Distance3(end, tcp), far = Distance3(end, target);
    const Number caged = sawyer().Cage(action, end,
                                       {.object_radius = .025,
                                        .pad_distance = .05,
                                        .xz_distance = .005,
                                        .is_dense = true,
                                        .effort = .8});
    const double in_place = Tolerance(far, 0, kReached, Distance3(episode().object, target));
    const bool is_moved = obs[3] > .5 && end[0] - episode().object[0] > .015;
    Number reward = 2 * caged;
    if (is_moved && near < .035) reward = 1 + reward + 5 * in_place;
    if (far <= kReached) reward = 10;
    return {.reward = reward,
            .success = Is(far <= .07),
            .near_object = Is(near <= .03),
            .grasp_success = Is(is_moved),
            .grasp_reward = caged.value(),
            .in_place_reward = in_place,
            .obj_to_target = far};
  }

 private:
  const int plug_, end_;
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "peg-insert-side-v3",
              .model = "sawyer_peg_insertion_side.xml",
              .size = 6,
              .low = {0, .5, .02, -.35, .4, -.001},
              .high = {.2, .7, .02, -.25, .7, .001},
              .least_distance = .1,
              .goal_low = {-.35 + .03, .4, -.001 + .13},
              .goal_high = {-.25 + .03, .7, .001 + .13}},
     .make = &Make<PegInsertSide>},
    {.info = {.name = "peg-unplug-side-v3",
              .model = "sawyer_peg_unplug_side.xml",
              .low = {-.25, .6, -.001},
              .high = {-.15, .8, .001},
              .goal_low = {-.25 + .194, .6, -.001 + .131},
              .goal_high = {-.15 + .194, .8, .001 + .131}},
     .make = &Make<PegUnplugSide>},
};

}  // namespace

std::span<const TaskKind> Pegs() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
