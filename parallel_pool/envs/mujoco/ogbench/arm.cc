#include "parallel_pool/envs/mujoco/ogbench/arm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <numbers>
#include <utility>

namespace parallel_pool::mujoco::ogbench {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr mjtNum kHome[] = {-kPi / 2, -kPi / 2, kPi / 2, -kPi / 2, -kPi / 2, 0};
constexpr double kClosed = .8;     // the angle of the gripper's driver, rad
constexpr double kMostTouch = 50;  // N

int Id(const mjModel& model, mjtObj type, const char* name) {
  return mj_name2id(&model, type, name);
}

}  // namespace

InverseKinematics::InverseKinematics(Model arm)
    : model_(std::move(arm)),
      data_(mj_makeData(model_.get())),
      flange_(Id(*model_, mjOBJ_SITE, "attachment_site")) {
  if (data_ == nullptr) throw std::bad_alloc();
}

void InverseKinematics::Solve(const Vector& place, const Quaternion& rotation, mjtNum* qpos) {
  constexpr int kJoints = Arm::kJoints, kMostSteps = 20;
  constexpr double kNear = 1e-4, kDamping = 1e-12, kMostTurn = 45 * (kPi / 180);
  const Arithmetic& numpy = NumpyArithmetic();
  mjData& data = *data_;
  std::copy_n(qpos, kJoints, data.qpos);
  for (int step = 0; step < kMostSteps; ++step) {
    mj_kinematics(model_.get(), &data);
    mj_comPos(model_.get(), &data);
    double error[6], inverse[4], turn[4];
    for (int i = 0; i < 3; ++i) error[i] = place[i] - data.site_xpos[3 * flange_ + i];
    mju_negQuat(inverse, OfMatrix(data.site_xmat + 9 * flange_).data());
    mju_mulQuat(turn, rotation.data(), inverse);
    mju_quat2Vel(error + 3, turn, 1);
    if (Norm(error, 3) <= kNear && Norm(error + 3, 3) <= kNear) break;

    double jacobian[6 * kJoints], squares[6 * 6], forces[6], update[kJoints];
    mj_jacSite(model_.get(), &data, jacobian, jacobian + 3 * kJoints, flange_);
    numpy.gram(jacobian, 6, kJoints, squares);
    for (int i = 0; i < 6; ++i) squares[7 * i] += kDamping;
    numpy.solve(squares, error, 6, forces);
    numpy.matmul_transposed(jacobian, forces, 6, kJoints, update);
    double most = 0;
    for (const double angle : update) most = std::max(most, std::abs(angle));
    if (most > kMostTurn) {
      for (double& angle : update) angle *= kMostTurn / most;
    }
    mj_integratePos(model_.get(), data.qpos, update, 1);
  }
  std::copy_n(data.qpos, kJoints, qpos);
}

Arm::Arm(Simulation& world, Model alone)
    : world_(world),
      kinematics_(std::move(alone)),
      pinch_(Id(world.model(), mjOBJ_SITE, "ur5e/robotiq/pinch")),
      // The reference takes the joint's number for its address.
      driver_(Id(world.model(), mjOBJ_JOINT, "ur5e/robotiq/right_driver_joint")),
      pad_(Id(world.model(), mjOBJ_BODY, "ur5e/robotiq/right_pad")) {
  world_.Forward();
  const mjData& data = world_.data();
  const int flange = Id(world.model(), mjOBJ_SITE, "ur5e/attachment_site");
  const auto place = [&](int site) {
    const mjtNum* const at = data.site_xpos + 3 * site;
    return Vector{at[0], at[1], at[2]};
  };
  const Quaternion inverse = Inverse(OfMatrix(data.site_xmat + 9 * pinch_));
  flange_rotation_ = Product(inverse, OfMatrix(data.site_xmat + 9 * flange));
  const Vector from = Turn(inverse, place(pinch_)), to = Turn(inverse, place(flange));
  for (int i = 0; i < 3; ++i) flange_place_[i] = to[i] + -from[i];
}

void Arm::GoHome() {
  std::ranges::copy(kHome, world_.data().qpos);
  mj_kinematics(&world_.model(), &world_.data());
}

void Arm::Place(const Box3& box, Rng& rng) {
  Vector place;
  for (int i = 0; i < 3; ++i) place[i] = rng.Uniform(box.low[i], box.high[i]);
  const double angle = rng.Uniform(-kPi, kPi);
  mjtNum* const qpos = world_.data().qpos;
  std::ranges::copy(kHome, qpos);
  Reach(place, Product(AboutZ(angle), kDown), qpos);
  world_.Forward();
}

void Arm::Reach(const Vector& place, const Quaternion& rotation, mjtNum* qpos) {
  Vector flange = Turn(rotation, flange_place_);
  for (int i = 0; i < 3; ++i) flange[i] += place[i];
  kinematics_.Solve(flange, Product(rotation, flange_rotation_), qpos);
}

template <class T>
void Arm::Act(View<const T> action) {
  constexpr double kMost[] = {.05, .05, .05, .3, 1};  // m, rad, share of the gripper's way
  std::array<double, kActions> move;
  for (int i = 0; i < kActions; ++i) {
    const T share = T{.5} * (action[i] + T{1});  // rounded as a T
    move[i] = share * (kMost[i] + kMost[i]) + -kMost[i];
  }
  Act(move);
}
template void Arm::Act(View<const float>);
template void Arm::Act(View<const double>);

void Arm::Act(const std::array<double, kActions>& move) {
  mjData& data = world_.data();
  const Quaternion turned = Product(Product(AboutZ(move[3]), AboutZ(yaw())), Inverse(kDown));
  const double angle = Clip(Yaw(turned), -kPi, kPi);
  Vector target;
  for (int i = 0; i < 3; ++i) {
    target[i] = Clip(place()[i] + move[i], kWorkspace.low[i], kWorkspace.high[i]);
  }
  std::copy_n(data.qpos, kJoints, data.ctrl);
  Reach(target, Product(AboutZ(angle), kDown), data.ctrl);
  data.ctrl[kJoints] = 255 * Clip(opening() + move[4], 0, 1);
}

double Arm::yaw() const {
  return Yaw(OfMatrix(world_.data().site_xmat + 9 * pinch_));
}
double Arm::opening() const {
  return Clip(world_.data().qpos[driver_] / kClosed, 0, 1);
}
double Arm::speed() const {
  return world_.data().qvel[driver_];
}
double Arm::touch() const {
  return Clip(Norm(world_.data().cfrc_ext + 6 * pad_, 6) / kMostTouch, 0, 1);
}

void Arm::Observe(Row& row) const {
  const mjData& data = world_.data();
  row.Add(data.qpos, kJoints).Add(data.qvel, kJoints);
  AddPlace(row, place());
  AddAngle(row, yaw());
  const double numbers[] = {opening() * 3, touch()};
  row.Add(numbers, 2);
}

}  // namespace parallel_pool::mujoco::ogbench
