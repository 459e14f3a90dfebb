#include "parallel_pool/envs/mujoco/engine/numpy_math.h"
#include "parallel_pool/envs/mujoco/metaworld/puck.h"

// Tasks with a block that is picked out of a hole, or placed in one.
namespace parallel_pool::mujoco::metaworld {
namespace {

class WithBlock : public WithPuck {
 public:
  explicit WithBlock(Sawyer& sawyer) : WithPuck(sawyer), block_(sawyer.Body("obj")) {}

  int See(double* object) const override {
    return JoinPose(object, place(), data().xquat + 4 * block_);
  }

 private:
  const int block_;
};

// The distance of two places along the table.
double Across(const double* a, const double* b) {
  const double apart[] = {a[0] - b[0], a[1] - b[1]};
  return Norm(apart, 2);
}

// Put the block into a hole of the table.
class HandInsert : public WithBlock {
 public:
  using WithBlock::WithBlock;

  void Begin() override {
    TakePlaces(true);
    episode().object[2] = .05;
    Place();
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    const Point tcp = sawyer().Tcp();
    const double *const block = obs + 4, *const target = episode().target, open = obs[3];
    const double far = Distance3(block, target), near = Distance3(block, tcp);
    const double in_place = Tolerance(far, 0, kReached, Distance3(episode().object, target));
    const Number caged = sawyer().Cage(
        action, block,
        {.object_radius = .015, .pad_distance = .05, .xz_distance = .005, .is_dense = true});
    Number reward = Hamacher(caged, in_place);
    if (near < .02 && open > 0) reward = reward + (1. + 7. * in_place);
    if (far < kReached) reward = 10;
    return {.reward = reward,
            .success = Is(far <= kReached),
            .near_object = Is(near <= .03),
            .grasp_success = Is(IsGripped() && open > 0 && block[2] - .02 > episode().object[2]),
            .grasp_reward = caged.value(),
            .in_place_reward = in_place,
            .obj_to_target = far};
  }
};

// Lift the block out of a hole.
class PickOutOfHole : public WithBlock {
 public:
  using WithBlock::WithBlock;

  void Begin() override {
    TakePlaces(true);
    Place();
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    const Point tcp = sawyer().Tcp();
    const double *const block = obs + 4, *const began = episode().object;
    const double far = Distance3(block, episode().target), near = Distance3(block, tcp);
    const double floor = FunnelFloor(Across(tcp, began), .03, .015, .15);
    const double above = tcp[2] >= floor ? 1 : Tolerance(std::max(floor - tcp[2], 0.), 0, .01, .02);
    const Number caged = sawyer().Cage(action, block,
                                       {.object_radius = .015,
                                        .pad_distance = .02,
                                        .xz_distance = .03,
                                        .is_dense = true,
                                        .effort = .1});
    const double in_place = Tolerance(far, 0, .02, Distance3(began, episode().target));
    Number reward = Hamacher(caged, in_place);
    const bool is_lifted = near < .04 && block[2] - .02 > began[2] && !(obs[3] < .33);
    if (is_lifted) reward = reward + (1. + 5. * Hamacher(in_place, above));
    if (far < kReached) reward = 10;
    return {.reward = reward,
            .success = Is(far <= .07),
            .near_object = Is(near <= .03),
            .grasp_success = Is(is_lifted),
            .grasp_reward = caged.value(),
            .in_place_reward = in_place,
            .obj_to_target = far};
  }
};

// Move the block from one bin to another.
class BinPicking : public Task {
 public:
  explicit BinPicking(Sawyer& sawyer)
      : Task(sawyer), block_(sawyer.Body("obj")), bin_(sawyer.Body("bin_goal")) {}

  int See(double* object) const override {
    return JoinPose(object, data().xpos + 3 * block_, data().xquat + 4 * block_);
  }
  void Begin() override {
    std::copy_n(episode().vector, 2, episode().object);
    episode().object[2] = sawyer().BodyPlaceNow(block_)[2];
    sawyer().PlaceObject(episode().object);
    std::copy_n(sawyer().BodyPlaceNow(bin_), 3, episode().target);
    episode().own[0] = 0;  // the way to the bin after the first step, m; 0: none was made
  }
  Judged Judge(const double* obs, View<const AnyFloat> action) const override {
    const double *const hand = obs, *const block = obs + 4;
    const double *const began = episode().object, *const target = episode().target;
    const double far = Distance3(block, target);
    if (episode().own[0] == 0) episode().own[0] = far;
    const double in_place = Tolerance(far, 0, kReached, episode().own[0]);
    const double floor = std::min(FunnelFloor(Across(hand, began), .03, .02, .2),
                                  FunnelFloor(Across(hand, target), .03, .02, .2));
    const double above =
        hand[2] >= floor ? 1 : Tolerance(std::max(floor - hand[2], 0.), 0, .01, .05);
    const Number caged = sawyer().Cage(action, block,
                                       {.object_radius = .015,
                                        .pad_distance = .05,
                                        .xz_distance = .01,
                                        .is_dense = true,
                                        .effort = .7});
    Number reward = Hamacher(caged, in_place);
    const bool is_near = Distance3(block, hand) < .04;
    const bool is_lifted = is_near && block[2] - .02 > began[2] && !(obs[3] < .43);
    if (is_lifted) reward = reward + (1. + 5. * Hamacher(above, in_place));
    if (far < kReached) reward = 10;
    return {.reward = reward,
            .success = Is(far <= kReached),
            .near_object = Is(is_near),
            .grasp_success = Is(is_lifted),
            .grasp_reward = caged.value(),
            .in_place_reward = in_place,
            .obj_to_target = far};
  }

 private:
  const int block_, bin_;
};

constexpr TaskKind kTasks[] = {
    {.info = {.name = "hand-insert-v3",
              .model = "sawyer_table_with_hole.xml",
              .size = 6,
              .low = {-.1, .6, .05, -.04, .8, -.0201},
              .high = {.1, .7, .05, .04, .88, -.0199},
              .least_distance = .15,
              .goal_low = {-.04, .8, -.0201},
              .goal_high = {.04, .88, -.0199},
              .hand = {0, .6f, .2f},
              .hand_low = {-.5, .4, -.15}},
     .make = &Make<HandInsert>},
    {.info = {.name = "pick-out-of-hole-v3",
              .model = "sawyer_pick_out_of_hole.xml",
              .size = 6,
              .low = {0, .75, .02, -.1, .5, .15},
              .high = {0, .75, .02, .1, .6, .3},
              .least_distance = .15,
              .goal_low = {-.1, .5, .15},
              .goal_high = {.1, .6, .3},
              .hand_low = {-.5, .4, -.05}},
     .make = &Make<PickOutOfHole>},
    {.info = {.name = "bin-picking-v3",
              .model = "sawyer_bin_picking.xml",
              .size = 6,
              .low = {-.21, .65, .02, .1199, .699, -.001},
              .high = {-.03, .75, .02, .1201, .701, .001},
              .goal_low = {.1199, .699, -.001},
              .goal_high = {.1201, .701, .001},
              .hand_low = {-.5, .4, .07}},
     .make = &Make<BinPicking>},
};

}  // namespace

std::span<const TaskKind> Holes() {
  return kTasks;
}

}  // namespace parallel_pool::mujoco::metaworld
