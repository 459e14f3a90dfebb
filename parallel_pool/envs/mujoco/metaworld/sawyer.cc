#include "parallel_pool/envs/mujoco/metaworld/sawyer.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "parallel_pool/core/host.h"
#include "parallel_pool/core/platform/library.h"
#include "parallel_pool/envs/mujoco/engine/advance.h"
#include "parallel_pool/envs/mujoco/engine/numpy_math.h"
#include "parallel_pool/envs/mujoco/engine/rows.h"

namespace parallel_pool::mujoco::metaworld {
namespace {

constexpr int kSubSteps = 5, kRestSteps = 50;
constexpr double kLongestMove = .01;        // of the mocap body along an axis in a step, m
constexpr double kSlack = 1e-3;             // more than rounding errors of distances, m
constexpr double kOpenGripper = .1;         // the distance of its claws, m
constexpr double kAtMargin = .1;            // the tolerance at the margin
constexpr double kTurned[] = {1, 0, 1, 0};  // the mocap body's rotation

// Lets the hand follow the mocap body without an offset.
void ResetWelds(mjModel& model) {
  constexpr double kWeld[] = {0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 5};
  for (int i = 0; i < model.neq; ++i) {
    if (model.eq_type[i] == mjEQ_WELD) std::ranges::copy(kWeld, model.eq_data + mjNEQDATA * i);
  }
}

double Apart(double x, double low, double high) {
  return x < low ? low - x : x - high;
}

}  // namespace

double Tolerance(double x, double low, double high, double margin) {
  static const double scale = std::sqrt(1 / kAtMargin - 1);
  if (low <= x && x <= high) return 1;
  return margin == 0 ? 0 : 1 / (Square(Apart(x, low, high) / margin * scale) + 1);
}

double GaussianTolerance(double x, double low, double high, double margin) {
  if (low <= x && x <= high) return 1;
  if (margin == 0) return 0;
  const double scale = std::sqrt(-2 * NumpyArithmetic().log(kAtMargin));
  return NumpyArithmetic().exp(-.5 * Square(Apart(x, low, high) / margin * scale));
}

double FunnelFloor(double radius, double throat, double slope, double height) {
  return radius <= throat ? 0 : slope * NumpyArithmetic().log(radius - throat) + height;
}

void MatrixToQuat(const double* m, double* quat) {
  const double trace = m[0] + m[4] + m[8];
  const double all[] = {m[0], m[4], m[8], trace};
  const auto largest = static_cast<int>(std::ranges::max_element(all) - all);
  if (largest < 3) {
    const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
    quat[i] = 1 - trace + 2 * m[4 * i];
    quat[j] = m[3 * j + i] + m[3 * i + j];
    quat[k] = m[3 * k + i] + m[3 * i + k];
    quat[3] = m[3 * k + j] - m[3 * j + k];
  } else {
    quat[0] = m[7] - m[5];
    quat[1] = m[2] - m[6];
    quat[2] = m[3] - m[1];
    quat[3] = 1 + trace;
  }
  const double length =
      std::sqrt(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]);
  for (int i = 0; i < 4; ++i) quat[i] /= length;
}

double Distance3(const double* a, const double* b) {
  const double apart[] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return Norm(apart, 3);
}

Model Sawyer::LoadModel(const std::string& file) {
  const std::filesystem::path package = platform::PlainName(PackageFolder("metaworld"));
  if (package.empty()) {
    throw std::invalid_argument(
        "this task needs the models of MetaWorld: pip install --no-deps metaworld==3.1.1");
  }
  return mujoco::LoadModel((package / "assets" / "sawyer_xyz" / file).string(), 0,
                           {.name = "welds", .model = ResetWelds, .is_slim = true});
}

Sawyer::Sawyer(const TaskInfo& task, const Model& model, std::shared_ptr<Rests> rests)
    : task_(task),
      rests_(std::move(rests)),
      world_(model, kNothing),
      body_pos_(world_.Own(&mjModel::body_pos, 3 * model->nbody)),
      site_pos_(world_.Own(&mjModel::site_pos, 3 * model->nsite)),
      hand_(Body("hand")),
      claws_{Body("rightclaw"), Body("leftclaw")},
      ends_{Site("rightEndEffector"), Site("leftEndEffector")},
      pads_{Body("rightpad"), Body("leftpad")},
      pad_geoms_{Geom("rightpad_geom"), Geom("leftpad_geom")} {}

int Sawyer::Find(int type, const char* name) const {
  const int found = mj_name2id(&world_.model(), type, name);
  if (found < 0) throw std::invalid_argument(std::string("the model has no ") + name);
  return found;
}

void Sawyer::ResetHand() {
  mjData& data = world_.simulation().data();
  mj_resetData(&world_.model(), &data);
  data.ctrl[0] = -1;
  data.ctrl[1] = 1;
  std::copy_n(task_.hand, 3, data.mocap_pos);
  std::ranges::copy(kTurned, data.mocap_quat);
  // The last sub-step is always made, because it computes all that is derived from the state.
  if (!rests_->Load(world_.model(), data)) {
    Run(kRestSteps * kSubSteps - 1);
    rests_->Save(world_.model(), data);
  }
  Run(1);
  std::copy_n(Tcp().at, 3, episode_.tcp);
}

void Sawyer::Move(View<const AnyFloat> action) {
  mjData& data = world_.simulation().data();
  action.Visit([&]<class T>(View<const T> numbers) {
    for (int i = 0; i < 3; ++i) {
      const T move = std::clamp(numbers[i], T{-1}, T{1}) * static_cast<T>(kLongestMove);
      data.mocap_pos[i] = Clip(data.mocap_pos[i] + move, task_.hand_low[i], task_.hand_high[i]);
    }
  });
  std::ranges::copy(kTurned, data.mocap_quat);
  data.ctrl[0] = action[3];
  data.ctrl[1] = -action[3];
  world_.simulation().Hold(kSubSteps);
}

void Sawyer::PlaceObject(const double* place) {
  mjData& data = world_.simulation().data();
  std::copy_n(place, 3, data.qpos + 9);
  std::fill_n(data.qvel + 9, 6, 0.0);
  world_.simulation().Forward();
}

void Sawyer::PlaceJoint(double position, bool rests) {
  mjData& data = world_.simulation().data();
  data.qpos[9] = position;
  if (rests) data.qvel[9] = 0;
  world_.simulation().Forward();
}

void Sawyer::PlacePlug(const double* place) {
  constexpr double kUpright[] = {1, 0, 0, 0};
  mjData& data = world_.simulation().data();
  std::copy_n(place, 3, data.qpos + 9);
  std::ranges::copy(kUpright, data.qpos + 12);
  std::fill_n(data.qvel + 9, 3, 0.0);
  world_.simulation().Forward();
}

void Sawyer::PlaceSlide(double x, double y) {
  mjData& data = world_.simulation().data();
  data.qpos[16] = x;
  data.qpos[17] = y;
  data.qvel[16] = 0;  // that of y; the one of x stays, as there
  world_.simulation().Forward();
}

void Sawyer::PlacePlate(double x, double y) {
  mjData& data = world_.simulation().data();
  data.qpos[9] = x;
  data.qpos[10] = y;
  world_.simulation().Forward();
}

void Sawyer::PlaceMug(const double* place) {
  mjData& data = world_.simulation().data();
  std::copy_n(place, 3, data.qpos);
  std::fill_n(data.qvel + 9, 6, 0.0);
  world_.simulation().Forward();
}

void Sawyer::MoveSites() {
  const mjModel& m = world_.model();
  mjData& data = world_.simulation().data();
  for (int i = 0; i < m.nsite; ++i) {
    mj_local2Global(&data, data.site_xpos + 3 * i, data.site_xmat + 9 * i, m.site_pos + 3 * i,
                    m.site_quat + 4 * i, m.site_bodyid[i], m.site_sameframe[i]);
  }
}

void Sawyer::Run(int sub_steps) {
  world_.simulation().Hold(sub_steps);
  AdvanceAlone(world_.simulation());
  world_.simulation().Place();
}

Point Sawyer::Tcp() const {
  const double *const right = SitePlace(ends_[0]), *const left = SitePlace(ends_[1]);
  return {{(right[0] + left[0]) / 2., (right[1] + left[1]) / 2., (right[2] + left[2]) / 2.}};
}

void Sawyer::See(const double* object, int size, double* seen) const {
  const double* const claw = data().xpos + 3 * claws_[0];
  const double apart = Distance3(claw, data().xpos + 3 * claws_[1]);
  std::copy_n(data().xpos + 3 * hand_, 3, seen);
  seen[3] = Clip(apart / kOpenGripper, 0, 1);
  std::fill(std::copy_n(object, size, seen + 4), seen + 18, 0.0);
}

bool Sawyer::IsGripped(int geom) {
  const mjModel& model = world_.model();
  const auto is_near = [&](int pad) {  // within the spheres without which there is no contact
    const double apart = Distance3(data().geom_xpos + 3 * pad, data().geom_xpos + 3 * geom);
    const double margin = model.geom_margin[pad] + model.geom_margin[geom];
    return apart < model.geom_rbound[pad] + model.geom_rbound[geom] + margin + kSlack;
  };
  if (!std::ranges::all_of(pad_geoms_, is_near)) return false;
  world_.simulation().Forward();
  return std::ranges::all_of(pad_geoms_, [&](int pad) {
    double force = 0;
    for (int c = 0; c < data().ncon; ++c) {
      const mjContact& contact = data().contact[c];
      const int one = contact.geom[0], other = contact.geom[1];
      const bool is_theirs = (one == pad && other == geom) || (one == geom && other == pad);
      if (is_theirs) force += data().efc_force[contact.efc_address];
    }
    return force > 0;
  });
}

Number Sawyer::Cage(View<const AnyFloat> action, const double* object,
                    const CageSizes& sizes) const {
  const Point tcp = Tcp();
  double sides[2];
  for (int i = 0; i < 2; ++i) {
    const double pad = Pad(1 - i)[1];
    const double margin = std::abs(std::abs(pad - episode_.object[1]) - sizes.pad_distance);
    sides[i] =
        Tolerance(std::abs(pad - object[1]), sizes.object_radius, sizes.pad_distance, margin);
  }
  const double began[] = {episode_.object[0] - episode_.tcp[0],
                          episode_.object[2] - episode_.tcp[2]};
  const double apart[] = {tcp[0] - object[0], tcp[2] - object[2]};
  const double xz =
      Tolerance(Norm(apart, 2), 0, sizes.xz_distance, Norm(began, 2) - sizes.xz_distance);
  const Number caging = Hamacher(Hamacher(sides[0], sides[1]), xz);
  const Number both =
      Hamacher(caging, caging > 0.97 ? Closed(action, sizes.effort) / sizes.effort : Number(0));
  if (sizes.medium_reach > 0) {
    const double first = Distance3(episode_.object, episode_.tcp);
    const double margin = std::abs(first - sizes.medium_reach);
    return (both + Tolerance(Distance3(object, tcp), 0, sizes.medium_reach, margin)) / 2;
  }
  return sizes.is_dense ? (both + caging) / 2 : both;
}

double Sawyer::Sides(const double* object, double low, double high) const {
  constexpr double kPads = .05;  // m
  const auto side = [&](int pad, double apart) {
    const double margin = std::abs(std::abs(object[1] - Pad(pad)[1]) - kPads);
    return Tolerance(apart, low, high, margin);
  };
  return Hamacher(side(0, object[1] - Pad(0)[1]), side(1, Pad(1)[1] - object[1])).value();
}

double Sawyer::Above(const double* object, double near) const {
  const Point tcp = Tcp();
  const double *const first = episode_.tcp, *const began = episode_.object;
  const double apart[] = {tcp[0] - object[0], 0, tcp[2] - object[2]};
  const double then[] = {began[0] - first[0], 0, began[2] - first[2]};
  return Tolerance(Norm(apart, 3), 0, near, Norm(then, 3) - near);
}

double Sawyer::CageByPads(const double* object, double radius, double grip, double near) const {
  const double caging = Hamacher(Sides(object, radius, .05), Above(object, near)).value();
  const double gripping = caging > 0.95 ? Sides(object, radius, radius + grip) : 0;
  return (caging + gripping) / 2;
}

}  // namespace parallel_pool::mujoco::metaworld
