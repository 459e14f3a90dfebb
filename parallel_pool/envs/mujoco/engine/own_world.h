// A world whose model has some numbers of its own, which episodes change.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/envs/mujoco/engine/model_variant.h"
#include "parallel_pool/envs/mujoco/engine/simulation.h"

namespace parallel_pool::mujoco {

class OwnWorld {
 public:
  OwnWorld(const Model& model, unsigned reads)
      : variant_(std::make_shared<ModelVariant>(model)),
        simulation_(AsModel(variant_), reads, model) {}

  Simulation& simulation() { return simulation_; }
  const Simulation& simulation() const { return simulation_; }
  const mjModel& model() const { return variant_->model; }
  // This world's own copy of an array of `size` numbers of the model.
  template <class T>
  T* Own(T* mjModel::* array, int64_t size) {
    return variant_->Own(array, size);
  }

  // Saves the world, and the numbers of its own (see save.h).
  void Save(Writer& writer) const {
    simulation_.Save(writer);
    variant_->ForEach(
        [&](const std::vector<std::byte>& own) { writer.Write(own.data(), own.size()); });
  }
  bool Load(Reader& reader) {
    bool is_whole = simulation_.Load(reader);
    variant_->ForEach([&](std::vector<std::byte>& own) {
      is_whole = is_whole && reader.Read(own.data(), own.size());
    });
    return is_whole;
  }

 private:
  std::shared_ptr<ModelVariant> variant_;
  Simulation simulation_;  // of *variant_
};

}  // namespace parallel_pool::mujoco
