#include "parallel_pool/envs/mujoco/engine/simulation.h"

#include <algorithm>
#include <new>
#include <utility>

namespace parallel_pool::mujoco {

Simulation::Simulation(Model model) : model_(std::move(model)) {
  HandleErrors();
  data_.reset(mj_makeData(model_.get()));
  if (data_ == nullptr) throw std::bad_alloc();
}

void Simulation::Begin(const mjtNum* qpos, const mjtNum* qvel) {
  mj_resetData(model_.get(), data_.get());
  std::copy_n(qpos, model_->nq, data_->qpos);
  std::copy_n(qvel, model_->nv, data_->qvel);
  mj_forward(model_.get(), data_.get());
}

void Simulation::Step(View<const float> control, int steps) {
  std::copy(control.begin(), control.end(), data_->ctrl);
  for (int i = 0; i < steps; ++i) mj_step(model_.get(), data_.get());
}

void Simulation::ComputeForces() {
  mj_rnePostConstraint(model_.get(), data_.get());
}

void Simulation::Save(Writer& writer) const {
  writer.Write(&data_->time, sizeof(data_->time));
  writer.Write(data_->buffer, data_->nbuffer);
}

bool Simulation::Load(Reader& reader) {
  mj_resetData(model_.get(), data_.get());
  return reader.Read(&data_->time, sizeof(data_->time)) &&
         reader.Read(data_->buffer, data_->nbuffer);
}

}  // namespace parallel_pool::mujoco
