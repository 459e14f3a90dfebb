#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <stdexcept>

#include "parallel_pool/envs/mujoco/robotics/hand_manipulate.h"
#include "parallel_pool/envs/mujoco/robotics/hand_reach.h"
#include "parallel_pool/envs/mujoco/robotics/tasks.h"

namespace parallel_pool::mujoco::robotics {
namespace {

constexpr double kPi = std::numbers::pi;
// Bounds of a goal around the object's first place, along each axis, m.
constexpr double kTargetRange[3][2] = {{-.04, .04}, {-.06, .02}, {0, .06}};

// The first position of HandReach, rad.
const NumbersByKey<std::string, 1>::Map kFirstAngles = {
    {"robot0:WRJ1", {-0.16514339750464327}},   {"robot0:WRJ0", {-0.31973286565062153}},
    {"robot0:FFJ3", {0.14340512546557435}},    {"robot0:FFJ2", {0.32028208333591573}},
    {"robot0:FFJ1", {0.7126053607727917}},     {"robot0:FFJ0", {0.6705281001412586}},
    {"robot0:MFJ3", {0.000246444303701037}},   {"robot0:MFJ2", {0.3152655251085491}},
    {"robot0:MFJ1", {0.7659800313729842}},     {"robot0:MFJ0", {0.7323156897425923}},
    {"robot0:RFJ3", {0.00038520700007378114}}, {"robot0:RFJ2", {0.36743546201985233}},
    {"robot0:RFJ1", {0.7119514095008576}},     {"robot0:RFJ0", {0.6699446327514138}},
    {"robot0:LFJ4", {0.0525442258033891}},     {"robot0:LFJ3", {-0.13615534724474673}},
    {"robot0:LFJ2", {0.39872030433433003}},    {"robot0:LFJ1", {0.7415570009679252}},
    {"robot0:LFJ0", {0.704096378652974}},      {"robot0:THJ4", {0.003673823825070126}},
    {"robot0:THJ3", {0.5506291436028695}},     {"robot0:THJ2", {-0.014515151997119306}},
    {"robot0:THJ1", {-0.0015229223564485414}}, {"robot0:THJ0", {-0.7894883021600622}},
};

int Joint(const mjModel& model, const std::string& name) {
  return mj_name2id(&model, mjOBJ_JOINT, name.c_str());
}

// Whether a sensor is one of touch.
bool IsTouch(const mjModel& model, int sensor) {
  return std::strstr(model.names + model.name_sensoradr[sensor], "robot0:TS_") != nullptr;
}

}  // namespace

NumbersByKey<std::string, 1> HandReach::First() {
  return {kFirstAngles};
}

std::shared_ptr<const HandReach::Scene> HandReach::MakeScene(const Config& config) {
  const Model& model = config.model;
  auto scene = std::make_shared<Scene>();
  ShadowHand hand(model, kOnlyLibrary);
  mjData& data = hand.data();
  for (const auto& [name, angle] : config.initial_qpos.map()) {
    const int joint = Joint(*model, name);
    if (joint < 0) {
      std::string names;
      for (const auto& [known, _] : kFirstAngles) names += (names.empty() ? "" : ", ") + known;
      throw std::invalid_argument("initial_qpos has '" + name + "'; the joints are " + names);
    }
    data.qpos[model->jnt_qposadr[joint]] = angle[0];
  }
  hand.Forward();
  scene->qpos.assign(data.qpos, data.qpos + model->nq);
  const char* const fingers[] = {"ff", "mf", "rf", "lf", "th"};
  for (int tip = 0; tip < kTips; ++tip) {
    const std::string name = std::string("robot0:S_") + fingers[tip] + "tip";
    scene->tips[tip] = mj_name2id(model.get(), mjOBJ_SITE, name.c_str());
    std::copy_n(data.site_xpos + 3 * scene->tips[tip], 3, scene->first_goal + 3 * tip);
  }
  const int palm = mj_name2id(model.get(), mjOBJ_BODY, "robot0:palm");
  const double offset[] = {0, -.09, .05};
  for (int k = 0; k < 3; ++k) scene->meeting[k] = data.xpos[3 * palm + k] + offset[k];
  return scene;
}

Options<HandManipulate::Config> HandManipulate::Describe() {
  return {Option<&Config::reward_type>("reward_type", kRewardTypeDoc, OneOf(kRewardTypes)),
          Option<&Config::target_position>("target_position",
                                           "whether the goal has a position that counts",
                                           OneOf(kTargetPositions)),
          Option<&Config::target_rotation>("target_rotation", "axes about which the goal is turned",
                                           OneOf(kTargetRotations)),
          Option<&Config::randomize_initial_position>(
              "randomize_initial_position", "the object begins at another place each time"),
          Option<&Config::randomize_initial_rotation>("randomize_initial_rotation",
                                                      "the object begins with a random rotation"),
          Option<&Config::distance_threshold>("distance_threshold",
                                              "distance of a goal that is reached, in m"),
          Option<&Config::rotation_threshold>("rotation_threshold",
                                              "angle to a goal that is reached, in rad"),
          Option<&Config::ignore_z_target_rotation>("ignore_z_target_rotation",
                                                    "the rotation about z does not count"),
          Option<&Config::touch_get_obs>(
              "touch_get_obs", "how sensors of touch are observed, by tasks that have them",
              OneOf(kTouches)),
          Option<&Config::touch_visualisation>("touch_visualisation",
                                               "whether pictures show sensors of touch: those "
                                               "that touch something in red, 'always' the same, "
                                               "or 'off'",
                                               OneOf(kTouchPictures))};
}

void HandManipulate::Complete(Config& config) {
  const std::string file = config.object + (config.has_touch ? "_touch_sensors.xml" : ".xml");
  const bool are_touches_off = config.has_touch && config.touch_visualisation == "off";
  const auto show = [are_touches_off](mjModel& model) {
    // The reference shows it from the first picture on.
    const int hidden = mj_name2id(&model, mjOBJ_GEOM, "object_hidden");
    if (hidden >= 0) model.geom_rgba[4 * hidden + 3] = 1;
    for (int i = 0; are_touches_off && i < model.nsensor; ++i) {
      if (IsTouch(model, i)) model.site_rgba[4 * model.sensor_objid[i] + 3] = 0;
    }
  };
  config.model =
      LoadOwnModel("robotics", "hand/manipulate_" + file, config.has_touch ? 0 : mjDSBL_SENSOR,
                   {.name = are_touches_off ? "shown without touch" : "shown", .model = show});
}

EnvSpec<HandManipulate::Action, HandManipulate::State> HandManipulate::Describe(
    const Config& config) {
  int numbers = 2 * ShadowHand::kJoints + 6 + kGoal;
  if (config.has_touch) {
    for (int i = 0; i < config.model->nsensor; ++i) numbers += IsTouch(*config.model, i);
  }
  auto state = GoalArrays<State>(numbers, kGoal);
  state.push_back(Array<&State::is_success>("info:is_success", Box({}, {0}, {1})));
  return {.action = {Array<&Action::control>("action", ShadowHand::Actions(*config.model))},
          .state = std::move(state)};
}

namespace {

struct Difference { double place, angle; };  // m, rad

Difference Compare(const HandManipulate::Config& config, const double* achieved,
                   const double* desired) {
  Difference difference = {};
  if (config.target_position != "ignore") difference.place = Distance(achieved, desired, 3);
  Quaternion a, b;
  std::copy_n(achieved + 3, 4, a.begin());
  std::copy_n(desired + 3, 4, b.begin());
  if (config.ignore_z_target_rotation) {
    double euler_a[3], euler_b[3];
    QuaternionToEuler(a.data(), euler_a);
    QuaternionToEuler(b.data(), euler_b);
    euler_a[2] = euler_b[2];
    EulerToQuaternion(euler_a, a.data());
  }
  const Quaternion turn = Product(a, {b[0], -b[1], -b[2], -b[3]});
  difference.angle = 2 * NumpyArithmetic().arccos(Clip(turn[0], -1, 1));
  return difference;
}

bool IsReached(const HandManipulate::Config& config, const Difference& difference) {
  return difference.place < config.distance_threshold &&
         difference.angle < config.rotation_threshold;
}

}  // namespace

Outcome HandManipulate::JudgeGoal(const Config& config, const double* achieved,
                                  const double* desired) {
  const Difference difference = Compare(config, achieved, desired);
  if (IsDense(config.reward_type)) {
    return {.reward = -(10 * difference.place + difference.angle)};
  }
  return {.reward = IsReached(config, difference) - 1.0};
}

HandManipulate::HandManipulate(const Config& config, Rng& rng)
    : config_(config),
      hand_(config.model, ReadsOf(config)),
      rng_(rng),
      object_qpos_(config.model->jnt_qposadr[Joint(*config.model, "object:joint")]),
      object_qvel_(config.model->jnt_dofadr[Joint(*config.model, "object:joint")]),
      center_(mj_name2id(config.model.get(), mjOBJ_SITE, "object:center")) {
  for (int i = 0; config.has_touch && i < config.model->nsensor; ++i) {
    if (IsTouch(*config.model, i)) touches_.push_back(i);
  }
  hand_.Forward();
}

void HandManipulate::Seed(uint64_t) {
  mj_resetData(&hand_.model(), &hand_.data());
  hand_.Forward();
}

Quaternion HandManipulate::DrawRotation() {
  const double z[] = {0, 0, 1};
  const double angle = rng_.Uniform(-kPi, kPi);
  if (config_.target_rotation == "z") return AngleAxis(angle, z);
  if (config_.target_rotation == "parallel") {
    const std::vector<Quaternion>& parallel = ParallelRotations();
    const Quaternion turn = AngleAxis(angle, z);
    return Product(turn, parallel[rng_.Integers(0, static_cast<int64_t>(parallel.size()))]);
  }
  double axis[3];
  for (double& x : axis) x = rng_.Uniform(-1, 1);
  return AngleAxis(angle, axis);
}

bool HandManipulate::Place() {
  const mjModel& model = hand_.model();
  mjData& data = hand_.data();
  // No mj_resetData, as there: controls, the warm start and contacts of the last episode remain.
  data.time = 0;
  std::copy_n(model.qpos0, model.nq, data.qpos);
  std::fill_n(data.qvel, model.nv, 0.0);
  hand_.Forward();
  double* const pose = data.qpos + object_qpos_;
  Quaternion rotation;
  std::copy_n(pose + 3, 4, rotation.begin());
  if (config_.randomize_initial_rotation) rotation = Product(rotation, DrawRotation());
  if (config_.randomize_initial_position && config_.target_position != "fixed") {
    for (int k = 0; k < 3; ++k) pose[k] += .005 * Normal(rng_);
  }
  std::ranges::copy(Normalized(rotation), pose + 3);
  for (int i = 0; i < 10; ++i) hand_.Rest();
  hand_.Forward();
  return data.site_xpos[3 * center_ + 2] > .04;
}

void HandManipulate::Reset() {
  while (!Place()) {}
  std::copy_n(Pose(), 3, goal_);
  if (config_.target_position == "random") {
    for (int k = 0; k < 3; ++k) goal_[k] += rng_.Uniform(kTargetRange[k][0], kTargetRange[k][1]);
  }
  std::ranges::copy(Normalized(DrawRotation()), goal_ + 3);
}

void HandManipulate::Observe(const State& state) const {
  const mjData& data = hand_.data();
  Row row(state.observation);
  hand_.Observe(row);
  row.Add(data.qvel + object_qvel_, 6).Add(Pose(), kGoal);
  const bool is_boolean = config_.touch_get_obs == "boolean",
             is_log = config_.touch_get_obs == "log";
  for (const int i : touches_) {
    row.AddEach(data.sensordata + i, 1, [&](double force) {
      return is_boolean ? force > 0 : is_log ? NumpyArithmetic().log(force + 1) : force;
    });
  }
  std::copy_n(Pose(), kGoal, state.achieved_goal.begin());
  std::copy_n(goal_, kGoal, state.desired_goal.begin());
  *state.is_success = IsReached(config_, Compare(config_, Pose(), goal_));
}

// Shows the goal as a second object, next to the hand if its position does not count.
void HandManipulate::Mark(mjData& drawn) const {
  const mjModel& model = hand_.model();
  mjtNum* const target = drawn.qpos + model.jnt_qposadr[Joint(model, "target:joint")];
  std::copy_n(goal_, kGoal, target);
  if (config_.target_position == "ignore") target[0] += .15;
  mj_forward(&model, &drawn);
}

// Shows which sensors touch something.
void HandManipulate::Paint(mjvScene& scene) const {
  if (config_.touch_visualisation != "on_touch") return;
  const mjModel& model = hand_.model();
  for (mjvGeom& geom : std::span(scene.geoms, scene.ngeom)) {
    if (geom.objtype != mjOBJ_SITE) continue;
    for (const int sensor : touches_) {
      if (model.sensor_objid[sensor] != geom.objid) continue;
      const bool touches = hand_.data().sensordata[sensor] != 0;
      std::ranges::copy(touches ? std::array{1.f, 0.f, 0.f, .5f} : std::array{0.f, .5f, 0.f, .2f},
                        geom.rgba);
    }
  }
}

void AddHands(const PicturedRegistry& registry) {
  for (const char* const type : kRewardTypes) {
    const std::string dense = IsDense(type) ? "Dense" : "";
    // EnvPool has the present tasks also by the names of old ones.
    for (const char* const version : {"-v3", "-v0"}) {
      registry.Add<HandReach>("HandReach" + dense + version,
                              {.max_episode_steps = 50, .twin_of = "HandReach-v3"},
                              {.reward_type = type});
    }
    struct Kind { const char *name, *object, *position, *rotation, *full = ""; };
    constexpr Kind kinds[] = {
        {"Block", "block", "random", "xyz"},
        {"Block", "block", "random", "xyz", "Full"},
        {"BlockRotateZ", "block", "ignore", "z"},
        {"BlockRotateParallel", "block", "ignore", "parallel"},
        {"BlockRotateXYZ", "block", "ignore", "xyz"},
        {"Egg", "egg", "random", "xyz"},
        {"Egg", "egg", "random", "xyz", "Full"},
        {"EggRotate", "egg", "ignore", "xyz"},
        {"Pen", "pen", "random", "xyz"},
        {"Pen", "pen", "random", "xyz", "Full"},
        {"PenRotate", "pen", "ignore", "xyz"},
    };
    struct Touch { const char *name, *observed; };
    constexpr Touch touches[] = {{"", nullptr},
                                 {"_BooleanTouchSensors", "boolean"},
                                 {"_ContinuousTouchSensors", "sensordata"}};
    for (const Kind& kind : kinds) {
      for (const Touch& touch : touches) {
        const bool has_touch = touch.observed != nullptr;
        if (has_touch && *kind.full != 0) continue;
        HandManipulate::Config config = {.object = kind.object,
                                         .reward_type = type,
                                         .target_position = kind.position,
                                         .target_rotation = kind.rotation,
                                         .has_touch = has_touch};
        if (has_touch) config.touch_get_obs = touch.observed;
        if (config.object == "pen") {
          config.randomize_initial_rotation = false;
          config.ignore_z_target_rotation = true;
          config.distance_threshold = .05;
        }
        for (const char* const version : {"-v1", "-v0"}) {
          const std::string name = std::string("HandManipulate") + kind.name;
          registry.Add<HandManipulate>(name + kind.full + touch.name + dense + version,
                                       {.max_episode_steps = 100, .twin_of = name + "-v1"}, config);
        }
      }
    }
  }
}

}  // namespace parallel_pool::mujoco::robotics
