#include "parallel_pool/envs/mujoco/engine/slim_model.h"

#include <mujoco/mjxmacro.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

namespace parallel_pool::mujoco {
namespace {

constexpr size_t kAligned = 64;

// Calls f(pointer, count of numbers) for each array of the model.
template <class F>
void ForEachArray(mjModel& model, const F& f) {
  const mjModel* const m = &model;
#undef MJ_M
#define MJ_M(n) m->n
#define X(type, name, rows, columns) f(model.name, static_cast<size_t>(m->rows) * (columns));
  MJMODEL_POINTERS
#undef X
#undef MJ_M
#define MJ_M(n) n
}

// Frees the copy, and knows how to load the original.
struct Owner {
  void operator()(const mjModel* model) const {
    ::operator delete(model->buffer, std::align_val_t(kAligned));
    delete model;
  }

  std::function<Model()> whole;
};

}  // namespace

Model SlimModel(const mjModel& model, std::function<Model()> whole) {
  auto* const slim = new mjModel(model);
  slim->ntexdata = slim->nmeshface = slim->nmeshnormal = slim->nmeshtexcoord = 0;
  // The boxes of bodies come first.
  slim->nbvh = slim->nbvhstatic =
      std::accumulate(model.body_bvhnum, model.body_bvhnum + model.nbody, mjtSize{0});
  size_t bytes = 0;
  const auto room = [](const auto* array, size_t count) {
    return (count * sizeof(*array) + kAligned - 1) / kAligned * kAligned;
  };
  ForEachArray(*slim, [&](auto*& array, size_t count) { bytes += room(array, count); });
  auto* const buffer = static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kAligned)));
  slim->buffer = buffer;
  slim->nbuffer = static_cast<mjtSize>(bytes);
  size_t used = 0;
  ForEachArray(*slim, [&](auto*& array, size_t count) {
    auto* const copy = reinterpret_cast<std::remove_reference_t<decltype(array)>>(buffer + used);
    used += room(array, count);
    if (count > 0) std::memcpy(copy, array, count * sizeof(*array));
    array = copy;
  });
  return {slim, Owner{std::move(whole)}};
}

Model WholeModel(const Model& model) {
  const auto* const owner = std::get_deleter<Owner>(model);
  return owner == nullptr ? model : owner->whole();
}

}  // namespace parallel_pool::mujoco
