// A model with some arrays of its own.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
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

  // Copies an array of `size` numbers, unless it is copied already, and returns the copy, which may
  // be written to.
  template <class T>
  T* Own(T* mjModel::* array, int64_t size) {
    if (model.*array != (*base_).*array) return model.*array;
    const T* const from = (*base_).*array;
    Array& own = arrays_.emplace_back(Array{from, std::vector<std::byte>(size * sizeof(T))});
    own.Restore();
    return model.*array = reinterpret_cast<T*>(own.bytes.data());
  }
  // Gives all arrays that it owns the numbers of `base` again.
  void Restore() {
    for (Array& own : arrays_) own.Restore();
  }
  // Calls `f` with the bytes of each array that it owns: a std::vector<std::byte>.
  template <class F>
  void ForEach(const F& f) {
    for (Array& own : arrays_) f(own.bytes);
  }

  mjModel model;

 private:
  struct Array {
    const void* from;  // the array of `base`
    std::vector<std::byte> bytes;

    void Restore() { std::memcpy(bytes.data(), from, bytes.size()); }
  };

  const Model base_;
  std::list<Array> arrays_;  // a list, because `model` points into it
};

// The variant as a model for reading.
inline Model AsModel(const std::shared_ptr<ModelVariant>& variant) {
  return {variant, &variant->model};
}

}  // namespace parallel_pool::mujoco
