#include "parallel_pool/envs/mujoco/engine/simulation.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <string>
#include <utility>

#include "parallel_pool/envs/mujoco/engine/model_pairs.h"
#include "parallel_pool/envs/mujoco/engine/model_variant.h"

namespace parallel_pool::mujoco {
namespace {

// Which trees sleep is in mjData's buffer, and how many are awake in these four numbers: of trees,
// bodies, bodies' parents and degrees of freedom. Without both, MuJoCo's next step fails.
constexpr size_t kAwakeBytes = 4 * sizeof(int);
static_assert(offsetof(mjData, nv_awake) == offsetof(mjData, ntree_awake) + 3 * sizeof(int));

}  // namespace

Simulation::Simulation(Model model, unsigned reads) : Simulation(model, reads, model) {}

Simulation::Simulation(Model model, unsigned reads, const Model& base)
    : model_(std::move(model)), flat_(FlatModelOf(base, reads)), reads_(reads) {
  HandleErrors();
  data_.reset(mj_makeData(model_.get()));
  if (data_ == nullptr) throw std::bad_alloc();
  if (step_model() == nullptr || step_model()->is_general) FindContactsOurselves();
  if (step_model() != nullptr) placed_.resize(model_->nq);
}

void Simulation::LeaveLanes() {
  flat_ = nullptr;
  FindContactsOurselves();
}

void Simulation::FindContactsOurselves() {
  std::string why_not;
  auto pairs = PairsOf(model_, &why_not);
  if (pairs != nullptr) collider_ = std::make_unique<collision::Collider>(std::move(pairs));
}

void Simulation::SenseAtEndOnly() {
  const auto variant = std::make_shared<ModelVariant>(model_);
  variant->model.opt.disableflags |= mjDSBL_SENSOR;
  without_sensors_ = AsModel(variant);
}

mjData* Simulation::for_drawing() const {
  Place();
  return data_.get();
}

mjData* Simulation::copy_for_drawing() const {
  if (drawn_ == nullptr) drawn_.reset(mj_makeData(model_.get()));
  if (drawn_ == nullptr) throw std::bad_alloc();
  return mj_copyData(drawn_.get(), model_.get(), for_drawing());
}

void Simulation::Begin(const mjtNum* qpos, const mjtNum* qvel) {
  mj_resetData(model_.get(), data_.get());
  std::copy_n(qpos, model_->nq, data_->qpos);
  std::copy_n(qvel, model_->nv, data_->qvel);
  Forward();
}

void Simulation::Forward() {
  if (collider_ != nullptr) collider_->Forget();  // the model's numbers may have changed
  mj_forward(model_.get(), data_.get());
  is_placed_ = true;
}

void Simulation::MoveFrames() {
  mj_kinematics(model_.get(), data_.get());
  mj_camlight(model_.get(), data_.get());
  is_placed_ = true;
}

void Simulation::MoveJacobians() {
  MoveFrames();
  mj_comPos(model_.get(), data_.get());
}

void Simulation::Hold(View<const AnyFloat> control, int steps) {
  control.CopyTo(data_->ctrl);
  Hold(steps);
}

void Simulation::Hold(View<const double> control, int steps) {
  std::copy(control.begin(), control.end(), data_->ctrl);
  Hold(steps);
}

void Simulation::Hold(int steps) {
  held_steps_ = steps;
  error_ = nullptr;
}

void Simulation::Finish() {
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

lanes::LaneEnv Simulation::BeginLane() {
  const auto step = [](void* world) { return static_cast<Simulation*>(world)->StepOnce(); };
  const auto find = [](void* world) {
    return static_cast<Simulation*>(world)->FindContacts(&collision::Collider::TryCollide);
  };
  const auto find_doubtful = [](void* world) {
    return static_cast<Simulation*>(world)->FindContacts(&collision::Collider::CollideByLibrary);
  };
  return {.model = model_.get(),
          .data = data_.get(),
          .placed = placed_.data(),
          .is_placed = true,
          .constraints = constraints_,
          .step_by_library = step,
          .find_contacts = find,
          .find_doubtful_contacts = find_doubtful,
          .owner = this};
}

// A search that throws is made again, and throws again, in a step by libmujoco.
bool Simulation::FindContacts(bool (collision::Collider::*search)(const mjModel&, mjData&)) try {
  return (collider_.get()->*search)(*model_, *data_);
} catch (...) {
  return false;
}

void Simulation::EndLane(const lanes::LaneEnv& env) {
  is_placed_ = env.is_placed;
  constraints_ = env.constraints;
  if (is_placed_) Try(&Simulation::FinishReads);
}

void Simulation::StepAlone() {
  if (held_steps_ == 0) return;
  is_placed_ = true;
  for (int i = 0; i < held_steps_; ++i) {
    is_last_step_ = i == held_steps_ - 1;
    if (!StepOnce()) return;
  }
  Try(&Simulation::FinishReads);
}

bool Simulation::StepOnce() {
  return Try(&Simulation::MakeStep);
}

void Simulation::MakeStep() {
  const bool is_quiet = without_sensors_ != nullptr && !is_last_step_;
  MakeStep(is_quiet ? *without_sensors_ : *model_);
}

void Simulation::MakeStep(const mjModel& m) {
  // A step by Runge-Kutta has no halves.
  if (collider_ == nullptr || m.opt.integrator == mjINT_RK4) return mj_step(&m, data_.get());
  collision::Step1(m, *data_, *collider_);
  mj_step2(&m, data_.get());
}

void Simulation::Step1() {
  if (collider_ == nullptr) return mj_step1(model_.get(), data_.get());
  collision::Step1(*model_, *data_, *collider_);
}

bool Simulation::Try(void (Simulation::*what)()) {
  if (error_ != nullptr) return false;
  try {
    (this->*what)();
  } catch (...) {
    error_ = std::current_exception();
  }
  return error_ == nullptr;
}

void Simulation::ComputeForces() {
  mj_rnePostConstraint(model_.get(), data_.get());
}

// After steps by mj_step, which computes neither forces on bodies nor arrays of its end.
void Simulation::FinishReads() {
  if (reads_ & kContactForces) ComputeForces();
  if (reads_ & kAtEnd) Step1();
}

void Simulation::Place() const {
  if (is_placed_) return;
  is_placed_ = true;
  if (reads_ & kAtEnd) {
    mj_step1(model_.get(), data_.get());
    return;
  }
  std::swap_ranges(placed_.begin(), placed_.end(), data_->qpos);
  mj_kinematics(model_.get(), data_.get());
  mj_comPos(model_.get(), data_.get());
  mj_camlight(model_.get(), data_.get());
  mj_tendon(model_.get(), data_.get());
  std::swap_ranges(placed_.begin(), placed_.end(), data_->qpos);
}

void Simulation::Save(Writer& writer) const {
  Place();
  writer.Write(&data_->time, sizeof(data_->time));
  writer.Write(data_->buffer, data_->nbuffer);
  if (model_->opt.enableflags & mjENBL_SLEEP) writer.Write(&data_->ntree_awake, kAwakeBytes);
}

bool Simulation::Load(Reader& reader) {
  mj_resetData(model_.get(), data_.get());
  if (collider_ != nullptr) collider_->Forget();
  is_placed_ = true;
  return reader.Read(&data_->time, sizeof(data_->time)) &&
         reader.Read(data_->buffer, data_->nbuffer) &&
         ((model_->opt.enableflags & mjENBL_SLEEP) == 0 ||
          reader.Read(&data_->ntree_awake, kAwakeBytes));
}

}  // namespace parallel_pool::mujoco
