#include "parallel_pool/envs/mujoco/robotics/fetch.h"

#include <algorithm>
#include <cstring>

#include "parallel_pool/envs/mujoco/robotics/rotations.h"
#include "parallel_pool/envs/mujoco/robotics/tasks.h"

namespace parallel_pool::mujoco::robotics {
namespace {

constexpr double kReached = .05;      // m
constexpr double kLongestMove = .05;  // of the gripper along an axis in one action, m
constexpr int kMostSpeeds = 32;       // of a model

constexpr FetchTask kTasks[] = {
    {.name = "Reach",
     .model = "fetch/reach.xml",
     .has_object = false,
     .is_in_the_air = true,
     .extra_height = .2,
     .base = .4049},
    {.name = "Push", .model = "fetch/push.xml"},
    {.name = "Slide",
     .model = "fetch/slide.xml",
     .target_offset = .4,
     .object_range = .1,
     .target_range = .3,
     .extra_height = -.02,
     .base = .05,
     .object = {1.7, 1.1, .41}},
    {.name = "PickAndPlace",
     .model = "fetch/pick_and_place.xml",
     .is_blocked = false,
     .is_in_the_air = true,
     .extra_height = .2},
};

int JointOf(const mjModel& model, const char* name) {
  return mj_name2id(&model, mjOBJ_JOINT, name);
}
int SiteOf(const mjModel& model, const char* name) {
  return mj_name2id(&model, mjOBJ_SITE, name);
}

// Lets the gripper's body follow the mocap body without an offset.
void ResetWelds(mjModel& model) {
  for (int i = 0; i < model.neq; ++i) {
    if (model.eq_type[i] != mjEQ_WELD) continue;
    mjtNum* const weld = model.eq_data + mjNEQDATA * i;
    std::fill_n(weld, 6, 0.0);
    weld[6] = 1;
  }
}

void FindElements(const mjModel& model, FetchScene& scene) {
  scene.grip = SiteOf(model, "robot0:grip");
  scene.object = SiteOf(model, "object0");
  scene.target = SiteOf(model, "target0");
  for (int i = 0; i < model.neq; ++i) {
    if (model.eq_type[i] != mjEQ_WELD) continue;
    const int one = model.eq_obj1id[i], other = model.eq_obj2id[i];
    scene.pulled = model.body_mocapid[one] != -1 ? other : one;
  }
  int robots = 0;  // joints of the robot so far; the last two are the fingers'
  for (int i = 0; i < model.njnt; ++i) {
    if (std::strncmp(model.names + model.name_jntadr[i], "robot", 5) != 0) continue;
    if (robots++ > 0) {
      scene.finger_qpos[0] = scene.finger_qpos[1];
      scene.finger_qvel[0] = scene.finger_qvel[1];
    }
    scene.finger_qpos[1] = model.jnt_qposadr[i];
    scene.finger_qvel[1] = model.jnt_dofadr[i];
  }
}

// Plays what the reference's constructor plays.
std::shared_ptr<const FetchScene> MakeScene(const FetchTask& task, const Model& model) {
  auto scene = std::make_shared<FetchScene>();
  FindElements(*model, *scene);
  Simulation robot(model, kOnlyLibrary);
  mjData& data = robot.data();
  const auto place = [&](const char* joint) {
    return data.qpos + model->jnt_qposadr[JointOf(*model, joint)];
  };
  *place("robot0:slide0") = task.base;
  *place("robot0:slide1") = .48;
  *place("robot0:slide2") = 0;
  if (task.has_object) {
    mjtNum* const object = place("object0:joint");
    scene->object_qpos = static_cast<int>(object - data.qpos);
    const double pose[] = {task.object[0], task.object[1], task.object[2], 1, 0, 0, 0};
    std::ranges::copy(pose, object);
  }
  robot.Forward();
  const double offset[] = {-.498, .005, -.431 + task.extra_height};
  for (int k = 0; k < 3; ++k) {
    data.mocap_pos[k] = offset[k] + data.site_xpos[3 * scene->grip + k];
  }
  const double rotation[] = {1, 0, 1, 0};
  std::ranges::copy(rotation, data.mocap_quat);
  robot.Hold(10 * Fetch::Config::frame_skip);
  robot.StepAlone();
  robot.Finish();
  std::copy_n(data.site_xpos + 3 * scene->grip, 3, scene->gripper);
  if (task.has_object) scene->object_height = data.site_xpos[3 * scene->object + 2];
  scene->time = data.time;
  scene->qpos.assign(data.qpos, data.qpos + model->nq);
  scene->qvel.assign(data.qvel, data.qvel + model->nv);
  return scene;
}

}  // namespace

void Fetch::Complete(Config& config) {
  const int flags = mjDSBL_SENSOR | (config.task->has_object ? 0 : mjDSBL_ISLAND);
  config.model =
      LoadOwnModel("robotics", config.task->model, flags, {.name = "welds", .model = ResetWelds});
  config.scene = LoadOnce<const FetchScene>(std::string("scene ") + config.task->name,
                                            [&] { return MakeScene(*config.task, config.model); });
}

EnvSpec<Fetch::Action, Fetch::State> Fetch::Describe(const Config& config) {
  auto state = GoalArrays<State>(config.task->has_object ? 25 : 10, 3);
  state.push_back(Array<&State::is_success>("info:is_success", Box({}, {0}, {1})));
  return {.action = {Array<&Action::move>("action", Box({4}, {-1}, {1}))},
          .state = std::move(state)};
}

Outcome Fetch::JudgeGoal(const Config& config, const double* achieved, const double* desired) {
  const double distance = Distance(achieved, desired, 3);
  return {.reward =
              IsDense(config.reward_type) ? -distance : -static_cast<double>(distance > kReached)};
}

Fetch::Fetch(const Config& config, Rng& rng)
    : config_(config),
      task_(*config.task),
      scene_(*config_.scene),
      robot_(config.model, ReadsOf(config)),
      rng_(rng),
      start_(scene_.qpos) {}

void Fetch::Reset() {
  const double* const gripper = scene_.gripper;
  if (task_.has_object) {
    double* const object = start_.data() + scene_.object_qpos;
    do {
      const double range = task_.object_range;
      for (int k = 0; k < 2; ++k) object[k] = gripper[k] + rng_.Uniform(-range, range);
    } while (FusedDistance(object, gripper, 2) < .1);
  }
  robot_.Begin(start_.data(), scene_.qvel.data());
  robot_.data().time = scene_.time;

  const double range = task_.target_range;
  for (int k = 0; k < 3; ++k) goal_[k] = gripper[k] + rng_.Uniform(-range, range);
  if (!task_.has_object) return;
  goal_[0] += task_.target_offset;
  goal_[2] = scene_.object_height;
  if (task_.is_in_the_air && rng_.Random() < .5) goal_[2] += rng_.Uniform(0, .45);
}

Simulation& Fetch::Act(const Action& action) {
  const mjModel& model = robot_.model();
  mjData& data = robot_.data();
  const auto clipped = [&](int i) { return std::clamp(action.move[i], -1.0, 1.0); };
  const double grip = task_.is_blocked ? 0 : clipped(3);
  for (int i = 0; i < model.nu; ++i) {
    const bool is_servo = model.actuator_biastype[i] != mjBIAS_NONE;
    const int joint = model.actuator_trnid[2 * i];
    data.ctrl[i] = is_servo ? data.qpos[model.jnt_qposadr[joint]] + grip : grip;
  }
  action.move.Visit([&]<class T>(View<const T>) {
    for (int k = 0; k < 3; ++k) {  // the product has the action's precision
      const T move = static_cast<T>(clipped(k)) * static_cast<T>(kLongestMove);
      data.mocap_pos[k] = data.xpos[3 * scene_.pulled + k] + move;
    }
  });
  const double rotation[] = {1, 0, 1, 0};
  for (int k = 0; k < 4; ++k) {
    data.mocap_quat[k] = data.xquat[4 * scene_.pulled + k] + rotation[k];  // a sum, as there
  }
  robot_.Hold(Config::frame_skip);
  return robot_;
}

Outcome Fetch::Judge(const Action&) {
  if (task_.is_blocked) {
    for (const int finger : scene_.finger_qpos) robot_.data().qpos[finger] = 0;
    robot_.MoveJacobians();  // the reference computes all; no more is read before the next step
  } else {
    robot_.Place();
  }
  return JudgeGoal(config_, Achieved(), goal_);
}

const double* Fetch::Achieved() const {
  return robot_.data().site_xpos + 3 * (task_.has_object ? scene_.object : scene_.grip);
}

void Fetch::Move(int site, bool is_angular, double* move) const {
  const mjModel& model = robot_.model();
  double jacobian[3 * kMostSpeeds];  // MuJoCo writes all of its elements
  mj_jacSite(&model, &robot_.data(), is_angular ? nullptr : jacobian,
             is_angular ? jacobian : nullptr, site);
  Multiply(jacobian, robot_.data().qvel, 3, static_cast<int>(model.nv), move);
  for (int k = 0; k < 3; ++k) move[k] *= Config::frame_skip * model.opt.timestep;
}

void Fetch::Observe(const State& state) const {
  const mjData& data = robot_.data();
  const double dt = Config::frame_skip * robot_.model().opt.timestep;  // s
  const double* const grip = data.site_xpos + 3 * scene_.grip;
  double grip_move[3];
  Move(scene_.grip, false, grip_move);

  Row row(state.observation);
  row.Add(grip, 3);
  if (task_.has_object) {
    const double* const object = data.site_xpos + 3 * scene_.object;
    double offset[3];
    for (int k = 0; k < 3; ++k) offset[k] = object[k] - grip[k];
    row.Add(object, 3).Add(offset, 3);
  }
  for (const int finger : scene_.finger_qpos) row.Add(data.qpos + finger, 1);
  if (task_.has_object) {
    double euler[3], move[3], turn[3];
    MatrixToEuler(data.site_xmat + 9 * scene_.object, euler);
    Move(scene_.object, false, move);
    for (int k = 0; k < 3; ++k) move[k] -= grip_move[k];
    Move(scene_.object, true, turn);
    row.Add(euler, 3).Add(move, 3).Add(turn, 3);
  }
  row.Add(grip_move, 3);
  for (const int finger : scene_.finger_qvel) {
    row.AddEach(data.qvel + finger, 1, [&](double speed) { return speed * dt; });
  }
  std::copy_n(Achieved(), 3, state.achieved_goal.begin());
  std::copy_n(goal_, 3, state.desired_goal.begin());
  *state.is_success = Distance(Achieved(), goal_, 3) < kReached;
}

void Fetch::Mark(mjData& drawn) const {
  mj_forward(&robot_.model(), &drawn);
  std::copy_n(goal_, 3, drawn.site_xpos + 3 * scene_.target);
}

void AddFetch(const PicturedRegistry& registry) {
  for (const FetchTask& task : kTasks) {
    for (const char* const type : kRewardTypes) {
      const std::string name = std::string("Fetch") + task.name;
      // EnvPool has the present tasks also by the names of old ones.
      for (const char* const version : {"-v4", "-v1"}) {
        registry.Add<Fetch>(name + (IsDense(type) ? "Dense" : "") + version,
                            {.max_episode_steps = 50, .twin_of = name + "-v4"},
                            {.reward_type = type, .task = &task});
      }
    }
  }
}

}  // namespace parallel_pool::mujoco::robotics
