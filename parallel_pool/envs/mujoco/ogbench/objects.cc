#include "parallel_pool/envs/mujoco/ogbench/objects.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "parallel_pool/envs/mujoco/engine/numpy_math.h"
#include "parallel_pool/envs/mujoco/ogbench/arm.h"
#include "parallel_pool/envs/mujoco/ogbench/so3.h"

namespace parallel_pool::mujoco::ogbench {
namespace {

using Color = std::array<float, 4>;

constexpr double kNear = .04;      // m: at the target
constexpr double kPressed = -.02;  // m
constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kLocked = 1e6, kUnlocked = 2;  // dampings, N s/m
constexpr Numbers<2> kSlideRanges[] = {{-.16, 0}, {0, .2}};
constexpr const char *kCubeJoint = "object_joint_", *kButtonJoint = "buttonbox_joint_";

constexpr Color kRed = {.96F, .26F, .33F, 1}, kBlue = {.35F, .55F, .91F, 1};
constexpr Color kWhite = {.9F, .9F, .9F, 1};
// The colors of cubes that are not at their targets, and of those that are.
constexpr Color kColors[] = {kRed,
                             kBlue,
                             {1, .69F, .21F, 1},
                             {.06F, .74F, .21F, 1},
                             {.61F, .28F, .82F, 1},
                             {.76F, .96F, .04F, 1},
                             {.82F, .28F, .61F, 1},
                             {.5F, .5F, .5F, 1}};
constexpr Color kPaleColors[] = {
    {.99F, .85F, .86F, 1}, {.86F, .9F, .98F, 1}, {1, .94F, .84F, 1},    {.77F, .95F, .81F, 1},
    {.91F, .84F, .96F, 1}, {.95F, .99F, .8F, 1}, {.96F, .84F, .91F, 1}, kWhite};

int Id(const mjModel& model, mjtObj type, const std::string& name) {
  return mj_name2id(&model, type, name.c_str());
}
std::string Numbered(const char* name, int i) {
  return name + std::to_string(i);
}
int CountJoints(const mjModel& model, const char* name) {
  int n = 0;
  while (Id(model, mjOBJ_JOINT, Numbered(name, n)) >= 0) ++n;
  return n;
}

}  // namespace

ObjectCounts::ObjectCounts(const mjModel& model)
    : cubes(CountJoints(model, kCubeJoint)),
      buttons(CountJoints(model, kButtonJoint)),
      has_slides(Id(model, mjOBJ_JOINT, "drawer_slide") >= 0) {}

Objects::Objects(OwnWorld& world, Rng& rng, int columns, bool shows)
    : world_(world),
      rng_(rng),
      counts_(world.model()),
      columns_(columns),
      shows_(shows),
      states_(counts_.buttons),
      wanted_(states_),
      before_(states_),
      depths_(states_.size()) {
  const mjModel& model = world_.model();
  const auto joint = [&](const std::string& name) { return Id(model, mjOBJ_JOINT, name); };
  const auto geom = [&](const char* name, int i) {
    return Id(model, mjOBJ_GEOM, Numbered(name, i));
  };
  for (int i = 0; i < counts_.cubes; ++i) {
    const int id = joint(Numbered(kCubeJoint, i));
    cubes_.push_back({model.jnt_qposadr[id], model.jnt_dofadr[id], geom("object_", i),
                      geom("target_object_", i)});
  }
  for (int i = 0; i < counts_.buttons; ++i) {
    const int id = joint(Numbered(kButtonJoint, i));
    buttons_.push_back({model.jnt_qposadr[id], model.jnt_dofadr[id], geom("btngeom_", i)});
  }
  world_.Own(&mjModel::geom_rgba, 4 * model.ngeom);
  if (!counts_.has_slides) return;
  world_.Own(&mjModel::dof_damping, model.nv);
  world_.Own(&mjModel::site_pos, 3 * model.nsite);
  world_.Own(&mjModel::mat_rgba, 4 * model.nmat);
  for (const std::string name : {"drawer", "window"}) {
    const int id = joint(name + "_slide");
    slides_.push_back({model.jnt_qposadr[id], model.jnt_dofadr[id],
                       Id(model, mjOBJ_SITE, name + "_handle_center"),
                       Id(model, mjOBJ_SITE, name + "_handle_center_target"),
                       Id(model, mjOBJ_MATERIAL, name + "_handle")});
  }
}

void Objects::PutAtGoal(const ArmTask& task, const std::vector<int>& order) {
  PutTargets(task.goal, order);
  for (size_t i = 0; i < cubes_.size(); ++i) {
    mjtNum* const pose = PoseOf(cubes_[i]);
    std::copy_n(data().mocap_pos + 3 * i, 3, pose);
    std::ranges::copy(kNoTurn, pose + 3);
  }
  PutStates(task.goal, states_);
  Apply();
  for (size_t i = 0; i < slides_.size(); ++i) {
    data().qpos[slides_[i].qpos] = SlideOf(task.goal, i);
  }
  world_.simulation().Forward();
}

void Objects::PutAtStart(const ArmTask& task, const std::vector<int>& order) {
  for (size_t i = 0; i < cubes_.size(); ++i) {
    mjtNum* const pose = PoseOf(cubes_[i]);
    std::copy_n(task.start.data() + 3 * order[i], 3, pose);
    for (int k = 0; k < 2; ++k) pose[k] += rng_.Uniform(-.01, .01);
    std::ranges::copy(AboutZ(rng_.Uniform(0, kTurn)), pose + 3);
  }
  PutTargets(task.goal, order);
  PutStates(task.start, states_);
  PutStates(task.goal, wanted_);
  Apply();
  for (size_t i = 0; i < slides_.size(); ++i) {
    const double place = SlideOf(task.start, i) + rng_.Uniform(-.01, .01);
    data().qpos[slides_[i].qpos] = Clip(place, kSlideRanges[i][0], kSlideRanges[i][1]);
    wanted_slides_[i] = SlideOf(task.goal, i);
    // The drawer slides along y, the window along x.
    mjtNum* const sites = world_.Own(&mjModel::site_pos, 3 * world_.model().nsite);
    sites[3 * slides_[i].wanted_handle + (i == 0 ? 1 : 0)] = wanted_slides_[i];
  }
}

void Objects::PutTargets(const std::vector<double>& goal, const std::vector<int>& order) {
  for (size_t i = 0; i < cubes_.size(); ++i) {
    std::copy_n(goal.data() + 3 * order[i], 3, data().mocap_pos + 3 * i);
    std::ranges::copy(kNoTurn, data().mocap_quat + 4 * i);
  }
}

void Objects::PutStates(const std::vector<double>& numbers, std::vector<int64_t>& states) const {
  for (int i = 0; i < counts_.buttons; ++i) {
    states[i] = static_cast<int64_t>(numbers[3 * counts_.cubes + i]);
  }
}

double Objects::SlideOf(const std::vector<double>& numbers, size_t slide) const {
  return numbers[3 * counts_.cubes + counts_.buttons + slide];
}

void Objects::Remember() {
  before_ = states_;
  for (int i = 0; i < counts_.buttons; ++i) depths_[i] = data().qpos[buttons_[i].qpos];
}

void Objects::Judge() {
  if (!slides_.empty()) Rescue();
  for (int i = 0; i < counts_.buttons; ++i) {
    if (depths_[i] > kPressed && data().qpos[buttons_[i].qpos] <= kPressed) Press(i);
  }
  Apply();
  PaintCubes();
}

// Brings a cube back that a collision has thrown far away.
void Objects::Rescue() {
  constexpr double kMargin = .2;  // m
  mjtNum* const pose = PoseOf(cubes_[0]);
  bool is_far = false;
  for (int i = 0; i < 3; ++i) {
    is_far |= pose[i] <= kWorkspace.low[i] - kMargin || pose[i] >= kWorkspace.high[i] + kMargin;
  }
  if (!is_far) return;
  pose[0] = rng_.Uniform(.3, .45);
  pose[1] = rng_.Uniform(-.07, .18);
  pose[2] = .02;
  std::ranges::copy(AboutZ(rng_.Uniform(0, kTurn)), pose + 3);
  std::fill_n(data().qvel + cubes_[0].qvel, 6, 0);
  world_.simulation().Forward();
}

void Objects::Press(int button) {
  if (columns_ == 0) {
    states_[button] ^= 1;
    return;
  }
  const int row = button / columns_, column = button % columns_, rows = counts_.buttons / columns_;
  constexpr int kWays[][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  for (const auto& [down, right] : kWays) {
    const int r = row + down, c = column + right;
    if (0 <= r && r < rows && 0 <= c && c < columns_) states_[r * columns_ + c] ^= 1;
  }
}

// Locks, and shows, what follows from the states of buttons.
void Objects::Apply() {
  if (buttons_.empty()) return;
  const mjModel& model = world_.model();
  float* const colors = world_.Own(&mjModel::geom_rgba, 4 * model.ngeom);
  for (size_t i = 0; i < buttons_.size(); ++i) {
    const Color& on = slides_.empty() ? kBlue : kWhite;
    std::ranges::copy(states_[i] == 0 ? kRed : on, colors + 4 * buttons_[i].geom);
  }
  for (size_t i = 0; i < slides_.size(); ++i) {
    const bool is_locked = states_[i] == 0;
    world_.Own(&mjModel::dof_damping, model.nv)[slides_[i].qvel] = is_locked ? kLocked : kUnlocked;
    std::ranges::copy(is_locked ? kRed : kWhite,
                      world_.Own(&mjModel::mat_rgba, 4 * model.nmat) + 4 * slides_[i].material);
  }
  world_.simulation().Forward();
}

void Objects::PaintCubes() {
  if (cubes_.empty()) return;
  float* const colors = world_.Own(&mjModel::geom_rgba, 4 * world_.model().ngeom);
  for (size_t i = 0; i < cubes_.size(); ++i) {
    const bool is_pale = shows_ && IsAtTarget(i);
    std::ranges::copy(is_pale ? kPaleColors[i] : kColors[i], colors + 4 * cubes_[i].geom);
    float* const target = colors + 4 * cubes_[i].target_geom;
    std::ranges::copy(kColors[i], target);
    target[3] = shows_ ? .2F : 0;
  }
}

bool Objects::IsAtTarget(size_t cube) const {
  double way[3];
  for (size_t i = 0; i < 3; ++i) {
    way[i] = PoseOf(cubes_[cube])[i] - data().mocap_pos[3 * cube + i];
  }
  return Norm(way, 3) <= kNear;
}

bool Objects::IsSlideAtTarget(size_t slide) const {
  return std::abs(data().qpos[slides_[slide].qpos] - wanted_slides_[slide]) <= kNear;
}

int Objects::size() const {
  return static_cast<int>(cubes_.size() + buttons_.size() + slides_.size());
}

int Objects::num_successes() const {
  int n = 0;
  for (size_t i = 0; i < cubes_.size(); ++i) n += IsAtTarget(i);
  for (size_t i = 0; i < states_.size(); ++i) n += states_[i] == wanted_[i];
  for (size_t i = 0; i < slides_.size(); ++i) n += IsSlideAtTarget(i);
  return n;
}

}  // namespace parallel_pool::mujoco::ogbench
