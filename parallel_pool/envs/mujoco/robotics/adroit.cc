#include "parallel_pool/envs/mujoco/robotics/adroit.h"

#include <algorithm>
#include <cmath>

#include "parallel_pool/envs/mujoco/robotics/rotations.h"
#include "parallel_pool/envs/mujoco/robotics/tasks.h"

namespace parallel_pool::mujoco::robotics {
namespace {

// Position servos: the wrist's are stiffer than those of the fingers.
void SetGains(mjModel& model) {
  const auto set = [&](const char* first, const char* last, double gain) {
    const int end = mj_name2id(&model, mjOBJ_ACTUATOR, last) + 1;
    for (int i = mj_name2id(&model, mjOBJ_ACTUATOR, first); i < end; ++i) {
      const double gains[] = {gain, 0, 0}, biases[] = {0, -gain, 0};
      std::ranges::copy(gains, model.actuator_gainprm + mjNGAIN * i);
      std::ranges::copy(biases, model.actuator_biasprm + mjNBIAS * i);
    }
  };
  set("A_WRJ1", "A_WRJ0", 10);
  set("A_FFJ3", "A_THJ0", 1);
}

int SiteOf(const OwnWorld& hand, const char* name) {
  return mj_name2id(&hand.model(), mjOBJ_SITE, name);
}
int BodyOf(const OwnWorld& hand, const char* name) {
  return mj_name2id(&hand.model(), mjOBJ_BODY, name);
}
const double* Site(const mjData& data, int site) {
  return data.site_xpos + 3 * site;
}
const double* Body(const mjData& data, int body) {
  return data.xpos + 3 * body;
}

// The offset of `a` from `b`.
struct Offset {
  double xyz[3];

  Offset(const double* a, const double* b) {
    for (int k = 0; k < 3; ++k) xyz[k] = a[k] - b[k];
  }
};

// In the place of the lengths that only Pen has to save.
struct NoLengths {};

struct Door {
  static constexpr const char *kName = "Door", *kModel = "adroit_door.xml";
  static constexpr PictureStyle kStyle = {.distance = 1.5};
  static constexpr int kNumbers = 39;
  static constexpr bool kSenses = false;

  explicit Door(OwnWorld& hand)
      : joints(static_cast<int>(hand.model().nq)),
        grasp(SiteOf(hand, "S_grasp")),
        handle(SiteOf(hand, "S_handle")),
        hinge(hand.model().jnt_dofadr[mj_name2id(&hand.model(), mjOBJ_JOINT, "door_hinge")]),
        place(hand.Own(&mjModel::body_pos, 3 * hand.model().nbody) + 3 * BodyOf(hand, "frame")) {}

  void Draw(Rng& rng) {
    place[0] = rng.Uniform(-.3, -.2);
    place[1] = rng.Uniform(.25, .35);
    place[2] = rng.Uniform(.252, .35);
  }
  std::vector<OwnNumbers> Own() const { return {{"door_body_pos", 3, place, place}}; }
  Judged Judge(const mjData& data) const {
    const double angle = data.qpos[hinge];  // rad
    double reward = .1 * FusedDistance(Site(data, grasp), Site(data, handle), 3);
    reward += -.1 * (angle - 1.57) * (angle - 1.57);
    reward += -1e-5 * SumOfSquares(data.qvel, joints);
    if (angle > .2) reward += 2;
    if (angle > 1) reward += 8;
    if (angle > 1.35) reward += 10;
    return {reward, angle >= 1.35};
  }
  void Observe(const mjData& data, Row& row) const {
    const double *const palm = Site(data, grasp), *const knob = Site(data, handle);
    const double angle = data.qpos[hinge], open = angle > 1 ? 1 : -1;
    row.Add(data.qpos + 1, joints - 3).Add(data.qpos + joints - 1, 1).Add(&angle, 1);
    row.Add(palm, 3).Add(knob, 3).Add(Offset(palm, knob).xyz, 3).Add(&open, 1);
  }

  const int joints, grasp, handle, hinge;
  double* const place;  // of the door, m
  NoLengths lengths;
};

struct Hammer {
  static constexpr const char *kName = "Hammer", *kModel = "adroit_hammer.xml";
  static constexpr PictureStyle kStyle = {.distance = 2, .azimuth = 45};
  static constexpr int kNumbers = 46;
  static constexpr bool kSenses = true;

  explicit Hammer(OwnWorld& hand)
      : joints(static_cast<int>(hand.model().nq)),
        grasp(SiteOf(hand, "S_grasp")),
        nail(SiteOf(hand, "S_target")),
        head(SiteOf(hand, "tool")),
        goal(SiteOf(hand, "nail_goal")),
        hammer(BodyOf(hand, "Object")),
        impact(hand.model().sensor_adr[mj_name2id(&hand.model(), mjOBJ_SENSOR, "S_nail")]),
        place(hand.Own(&mjModel::body_pos, 3 * hand.model().nbody) +
              3 * BodyOf(hand, "nail_board")) {
    hand.simulation().SenseAtEndOnly();
  }

  void Draw(Rng& rng) { place[2] = rng.Uniform(.1, .25); }
  std::vector<OwnNumbers> Own() const { return {{"board_pos", 3, place, place}}; }
  Judged Judge(const mjData& data) const {
    const double *const tool = Body(data, hammer), *const top = Site(data, head);
    const double* const target = Site(data, nail);
    const double distance = FusedDistance(target, Site(data, goal), 3);
    double speed;  // squared: numpy.dot of more numbers than Norm takes
    Multiply(data.qvel, data.qvel, 1, joints, &speed);
    double reward = .1 * FusedDistance(Site(data, grasp), tool, 3);
    reward -= FusedDistance(top, target, 3);
    reward -= 10 * distance;
    reward -= 1e-2 * std::sqrt(speed);
    if (tool[2] > .04 && top[2] > .04) reward += 2;
    if (distance < .02) reward += 25;
    if (distance < .01) reward += 75;
    return {reward, distance < .01};
  }
  void Observe(const mjData& data, Row& row) const {
    double euler[3];
    QuaternionToEuler(data.xquat + 4 * hammer, euler);
    row.Add(data.qpos, joints - 6).AddClipped(data.qvel + joints - 6, 6, -1, 1);
    row.Add(Site(data, grasp), 3).Add(Body(data, hammer), 3).Add(euler, 3);
    row.Add(Site(data, nail), 3).AddClipped(data.sensordata + impact, 1, -1, 1);
  }

  const int joints, grasp, nail, head, goal, hammer, impact;
  double* const place;  // of the board, m
  NoLengths lengths;
};

struct Pen {
  static constexpr const char *kName = "Pen", *kModel = "adroit_pen.xml";
  static constexpr PictureStyle kStyle = {.distance = 1, .azimuth = -45};
  static constexpr int kNumbers = 45;
  static constexpr bool kSenses = false;

  explicit Pen(OwnWorld& hand)
      : joints(static_cast<int>(hand.model().nq)),
        pen(BodyOf(hand, "Object")),
        middle(SiteOf(hand, "eps_ball")),
        ends{SiteOf(hand, "object_top"), SiteOf(hand, "object_bottom"), SiteOf(hand, "target_top"),
             SiteOf(hand, "target_bottom")},
        rotation(hand.Own(&mjModel::body_quat, 4 * hand.model().nbody) +
                 4 * BodyOf(hand, "target")) {}

  void Draw(Rng& rng) {
    double euler[3] = {};
    euler[0] = rng.Uniform(-1, 1);
    euler[1] = rng.Uniform(-1, 1);
    EulerToQuaternion(euler, rotation);
  }
  std::vector<OwnNumbers> Own() const { return {{"desired_orien", 4, rotation, rotation}}; }
  void Begin(const mjData& data) {
    lengths = {FusedDistance(Site(data, ends[0]), Site(data, ends[1]), 3),
               FusedDistance(Site(data, ends[2]), Site(data, ends[3]), 3)};
  }
  Judged Judge(const mjData& data) const {
    const Offset axis = Axis(data, 0), wanted = Axis(data, 2);
    const double distance = FusedDistance(Body(data, pen), Site(data, middle), 3);
    const double similarity = Dot(axis.xyz, wanted.xyz, 3);
    const bool success = distance < .075 && similarity > .95;
    double reward = -distance + similarity;
    if (distance < .075 && similarity > .9) reward += 10;
    if (success) reward += 50;
    if (Body(data, pen)[2] < .075) reward -= 5;
    return {reward, success};
  }
  void Observe(const mjData& data, Row& row) const {
    const Offset axis = Axis(data, 0), wanted = Axis(data, 2);
    row.Add(data.qpos, joints - 6).Add(Body(data, pen), 3).Add(data.qvel + joints - 6, 6);
    row.Add(axis.xyz, 3).Add(wanted.xyz, 3).Add(Offset(Body(data, pen), Site(data, middle)).xyz, 3);
    row.Add(Offset(axis.xyz, wanted.xyz).xyz, 3);
  }

  // The direction of the pen (0) or of its target (2): a vector of length 1 at the episode's begin.
  Offset Axis(const mjData& data, int first) const {
    Offset axis(Site(data, ends[first]), Site(data, ends[first + 1]));
    for (double& x : axis.xyz) x /= first == 0 ? lengths.pen : lengths.target;
    return axis;
  }

  const int joints, pen, middle, ends[4];
  double* const rotation;                           // of the target
  struct { double pen, target; } lengths = {1, 1};  // m
};

struct Relocate {
  static constexpr const char *kName = "Relocate", *kModel = "adroit_relocate.xml";
  static constexpr PictureStyle kStyle = {.distance = 1.5};
  static constexpr int kNumbers = 39;
  static constexpr bool kSenses = false;

  explicit Relocate(OwnWorld& hand)
      : joints(static_cast<int>(hand.model().nq)),
        ball(BodyOf(hand, "Object")),
        grasp(SiteOf(hand, "S_grasp")),
        target(SiteOf(hand, "target")),
        place(hand.Own(&mjModel::body_pos, 3 * hand.model().nbody) + 3 * ball),
        goal(hand.Own(&mjModel::site_pos, 3 * hand.model().nsite) + 3 * target),
        world(hand.simulation().data()) {}

  void Draw(Rng& rng) {
    place[0] = rng.Uniform(-.15, .15);
    place[1] = rng.Uniform(-.15, .3);
    goal[0] = rng.Uniform(-.2, .2);
    goal[1] = rng.Uniform(-.2, .2);
    goal[2] = rng.Uniform(.15, .35);
  }
  std::vector<OwnNumbers> Own() const {
    return {{"obj_pos", 3, place, Body(world, ball)}, {"target_pos", 3, goal, goal}};
  }
  Judged Judge(const mjData& data) const {
    const double *const object = Body(data, ball), *const palm = Site(data, grasp);
    const double distance = FusedDistance(object, Site(data, target), 3);
    double reward = .1 * FusedDistance(palm, object, 3);
    if (object[2] > .04) {
      reward += 1;
      reward += -.5 * FusedDistance(palm, Site(data, target), 3);
      reward += -.5 * distance;
    }
    if (distance < .1) reward += 10;
    if (distance < .05) reward += 20;
    return {reward, distance < .1};
  }
  void Observe(const mjData& data, Row& row) const {
    const double *const object = Body(data, ball), *const palm = Site(data, grasp);
    const double* const wanted = Site(data, target);
    row.Add(data.qpos, joints - 6).Add(Offset(palm, object).xyz, 3);
    row.Add(Offset(palm, wanted).xyz, 3).Add(Offset(object, wanted).xyz, 3);
  }

  const int joints, ball, grasp, target;
  double *const place, *const goal;  // of the ball and its target, m
  const mjData& world;
  NoLengths lengths;
};

template <class Task>
void Add(const PicturedRegistry& registry) {
  const std::string name = std::string("AdroitHand") + Task::kName;
  const TaskDefaults options = {.max_episode_steps = 200, .twin_of = name + "-v1"};
  registry.Add<Adroit<Task>>(name + "-v1", options, {.reward_type = "dense"});
  registry.Add<Adroit<Task>>(name + "Sparse-v1", options, {.reward_type = "sparse"});
}

}  // namespace

Model LoadAdroit(const char* file, bool senses) {
  return LoadOwnModel("robotics", std::string("adroit_hand/") + file, senses ? 0 : mjDSBL_SENSOR,
                      {.name = "gains", .model = SetGains});
}

void AddAdroit(const PicturedRegistry& registry) {
  Add<Door>(registry);
  Add<Hammer>(registry);
  Add<Pen>(registry);
  Add<Relocate>(registry);
}

}  // namespace parallel_pool::mujoco::robotics
