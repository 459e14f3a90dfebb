#include "parallel_pool/envs/mujoco/dm_control/physics.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "parallel_pool/envs/mujoco/engine/advance.h"

namespace parallel_pool::mujoco::dm_control {
namespace {

std::shared_ptr<ModelVariant> MakeVariant(const Model& model) {
  const auto variant = std::make_shared<ModelVariant>(model);
  mjOption& option = variant->model.opt;
  // A model that is one tree has one island: the search for islands changes no bit then.
  if (model->ntree == 1) option.disableflags |= mjDSBL_ISLAND;
  option.enableflags &= ~mjENBL_ENERGY;  // no task reads the energy
  return variant;
}

// Sets a flag (mjDSBL_...) of a model for as long as it lives.
class Disabled {
 public:
  Disabled(mjModel& model, int flag) : flags_(model.opt.disableflags), before_(flags_) {
    flags_ |= flag;
  }
  ~Disabled() { flags_ = before_; }
  Disabled(const Disabled&) = delete;
  Disabled& operator=(const Disabled&) = delete;

 private:
  int& flags_;
  const int before_;
};

// Hides cameras and lights, and sites if told so, from MuJoCo for as long as it lives.
class Hidden {
 public:
  Hidden(mjModel& model, bool hides_sites)
      : model_(model), cameras_(model.ncam), lights_(model.nlight), sites_(model.nsite) {
    model.ncam = model.nlight = 0;
    if (hides_sites) model.nsite = 0;
  }
  ~Hidden() {
    model_.ncam = cameras_;
    model_.nlight = lights_;
    model_.nsite = sites_;
  }
  Hidden(const Hidden&) = delete;
  Hidden& operator=(const Hidden&) = delete;

 private:
  mjModel& model_;
  const mjtSize cameras_, lights_, sites_;
};

// Whether forces depend on sites: by actuators, tendons or equalities at sites.
bool MovesBySites(const mjModel& model) {
  const auto any = [](const int* kinds, int64_t n, int kind) {
    return std::find(kinds, kinds + n, kind) != kinds + n;
  };
  return any(model.actuator_trntype, model.nu, mjTRN_SITE) ||
         any(model.actuator_trntype, model.nu, mjTRN_SLIDERCRANK) ||
         any(model.wrap_type, model.nwrap, mjWRAP_SITE) ||
         any(model.eq_objtype, model.neq, mjOBJ_SITE);
}

}  // namespace

Physics::Physics(const Model& model, bool legacy_step, unsigned reads)
    : variant_(MakeVariant(model)),
      world_(AsModel(variant_), legacy_step ? reads | kAtEnd : reads, model),
      legacy_step_(legacy_step),
      moves_by_sites_(MovesBySites(*model)) {}

bool Physics::MayDiffer(mjtNum* mjModel::* array) const {
  if (array == &mjModel::geom_pos || array == &mjModel::geom_size)
    return (model().opt.disableflags & (mjDSBL_CONTACT | mjDSBL_CONSTRAINT)) != 0;
  if (array == &mjModel::body_pos || array == &mjModel::body_quat || array == &mjModel::dof_damping)
    return world_.step_model() != nullptr && world_.step_model()->is_general;
  return array == &mjModel::jnt_stiffness || array == &mjModel::wrap_prm ||
         array == &mjModel::light_pos || array == &mjModel::site_pos ||
         array == &mjModel::site_size;
}

void Physics::Reset() {
  mj_resetData(&variant_->model, &data());
  Forward();
}

void Physics::Forward() {
  const Disabled actuation(variant_->model, mjDSBL_ACTUATION);
  world_.Forward();
}

void Physics::ComputePositions() {
  mj_kinematics(&variant_->model, &data());
}

int Physics::CountContacts() {
  ComputePositions();
  mj_collision(&variant_->model, &data());
  return data().ncon;
}

void Physics::Step(int n) {
  StepByLibrary(1);  // with what was derived from the positions before they were changed
  AdvanceAlone(Hold(n - 1));
}

Simulation& Physics::Hold(int n) {
  if (world_.step_model() == nullptr && n > 0) {
    StepByLibrary(n);
    n = 0;
  }
  world_.Hold(n);
  return world_;
}

void Physics::StepByLibrary(int n) {
  mjModel* const model = &variant_->model;
  mjData* const data = &this->data();
  if (!legacy_step_) {
    for (int i = 0; i < n; ++i) world_.Step();
  } else if (model->opt.integrator == mjINT_RK4) {
    // The first step begins with what the last mj_step1, or the reset, has computed already.
    mj_forwardSkip(model, data, mjSTAGE_VEL, 0);
    mj_checkAcc(model, data);
    {
      const Hidden views(*model, !moves_by_sites_);
      mj_RungeKutta(model, data, 4);
    }
    for (int i = 1; i < n; ++i) mj_step(model, data);
    mj_step1(model, data);
  } else {
    if (n > 1) StepUnseen(n - 1);
    mj_step2(model, data);
    world_.Step1();
  }
}

// The steps before the last one. Nothing reads their sensors, and their cameras and lights are not
// drawn. Sensors of the last step are at the sites of its beginning.
void Physics::StepUnseen(int n) {
  const Disabled sensors(variant_->model, mjDSBL_SENSOR);
  for (int i = 0; i < n; ++i) {
    mj_step2(&variant_->model, &data());
    const Hidden views(variant_->model, !moves_by_sites_ && i < n - 1);
    world_.Step1();
  }
}

int Physics::FindId(mjtObj type, const char* name) const {
  const int id = mj_name2id(&model(), type, name);
  if (id >= 0) return id;
  throw std::invalid_argument(std::string("the model has no ") + mju_type2Str(type) + " '" + name +
                              "'");
}

mjtNum* Physics::JointPosition(const char* joint) {
  return data().qpos + model().jnt_qposadr[FindId(mjOBJ_JOINT, joint)];
}
mjtNum* Physics::JointVelocity(const char* joint) {
  return data().qvel + model().jnt_dofadr[FindId(mjOBJ_JOINT, joint)];
}
const mjtNum* Physics::BodyMatrix(const char* body) const {
  return data().xmat + 9 * FindId(mjOBJ_BODY, body);
}
const mjtNum* Physics::BodyPosition(const char* body) const {
  return data().xpos + 3 * FindId(mjOBJ_BODY, body);
}
const mjtNum* Physics::BodyMassCenter(const char* body) const {
  return data().xipos + 3 * FindId(mjOBJ_BODY, body);
}
const mjtNum* Physics::GeomPosition(const char* geom) const {
  return data().geom_xpos + 3 * FindId(mjOBJ_GEOM, geom);
}
const mjtNum* Physics::SitePosition(const char* site) const {
  return data().site_xpos + 3 * FindId(mjOBJ_SITE, site);
}
const mjtNum* Physics::Sensor(const char* sensor) const {
  return data().sensordata + model().sensor_adr[FindId(mjOBJ_SENSOR, sensor)];
}

void Physics::Save(Writer& writer) const {
  world_.Save(writer);
  variant_->ForEach(
      [&](const std::vector<std::byte>& bytes) { writer.Write(bytes.data(), bytes.size()); });
}

bool Physics::Load(Reader& reader) {
  bool is_whole = world_.Load(reader);
  variant_->ForEach([&](std::vector<std::byte>& bytes) {
    is_whole = is_whole && reader.Read(bytes.data(), bytes.size());
  });
  if (!is_whole) return false;
  // The next Step begins with contacts and constraints, which are not saved: computing them again
  // from positions and speeds gives the same.
  if (legacy_step_) mj_step1(&variant_->model, &data());
  return true;
}

}  // namespace parallel_pool::mujoco::dm_control
