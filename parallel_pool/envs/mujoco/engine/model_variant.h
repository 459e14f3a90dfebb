// A model with some arrays of its own.
#pragma once

#include <mujoco/mujoco.h>

#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "parallel_pool/envs/mujoco/engine/model.h"

namespace parallel_pool::mujoco {

// Shares all arrays with `base`, except those that it owns. The struct mjModel itself is a copy, so
// its options may differ, too.
class ModelVariant {
 public:
  explicit ModelVariant(Model base) : model(*base), base_(std::move(base)) {}
  ModelVariant(const ModelVariant&) = delete;
  ModelVariant& operator=(const ModelVariant&) = delete;

  // Copies an array of `size` numbers and returns the copy, which may be written to.
  mjtNum* Own(mjtNum* mjModel::* array, int64_t size) {
    const mjtNum* const from = (*base_).*array;
    Array& own = arrays_.emplace_back(Array{array, {from, from + size}});
    return model.*array = own.numbers.data();
  }
  // Gives all arrays that it owns the numbers of `base` again.
  void Restore() {
    for (Array& own : arrays_) {
      const mjtNum* const from = (*base_).*own.member;
      own.numbers.assign(from, from + own.numbers.size());
    }
  }
  // Calls `f` with each vector of numbers that it owns.
  template <class F>
  void ForEach(const F& f) {
    for (Array& own : arrays_) f(own.numbers);
  }

  mjModel model;

 private:
  struct Array {
    mjtNum* mjModel::* member;
    std::vector<mjtNum> numbers;
  };

  const Model base_;
  std::list<Array> arrays_;  // a list, because `model` points into it
};

// The variant as a model for reading.
inline Model AsModel(const std::shared_ptr<ModelVariant>& variant) {
  return {variant, &variant->model};
}

}  // namespace parallel_pool::mujoco
