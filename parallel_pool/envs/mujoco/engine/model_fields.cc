#include "parallel_pool/envs/mujoco/engine/model_fields.h"

#include <mujoco/mjxmacro.h>

#include <algorithm>
#include <memory>
#include <type_traits>

#include "parallel_pool/envs/mujoco/engine/model_variant.h"

namespace parallel_pool::mujoco {
namespace {

// Adds an array of numbers. Other arrays (integers) define the structure of a model and cannot
// differ.
template <class T>
void AddArray(const char* name, T* mjModel::* array, int64_t rows, int64_t columns,
              std::vector<ModelField>& fields) {
  if constexpr (std::is_same_v<T, mjtNum>) {
    ModelField field = {.name = name, .shape = {static_cast<int32_t>(rows)}, .array = array};
    if (columns != 1) field.shape.push_back(static_cast<int32_t>(columns));
    fields.push_back(std::move(field));
  }
}

}  // namespace

int64_t ModelField::size() const {
  int64_t size = 1;
  for (const int32_t n : shape) size *= n;
  return size;
}

std::vector<ModelField> FieldsOf(const mjModel& model) {
  std::vector<ModelField> fields;
#undef MJ_M
#define MJ_M(n) model.n
#define X(type, name, rows, columns) \
  AddArray<type>(#name, &mjModel::name, model.rows, columns, fields);
#define XNV X
  MJMODEL_POINTERS
#undef XNV
#undef X
  const auto add_option = [&](const char* name, std::vector<int32_t> shape,
                              mjtNum* (*option)(mjModel&)) {
    fields.push_back({.name = name, .shape = std::move(shape), .option = option});
  };
  add_option("opt.density", {}, [](mjModel& m) { return &m.opt.density; });
  add_option("opt.gravity", {3}, [](mjModel& m) -> mjtNum* { return m.opt.gravity; });
  add_option("opt.magnetic", {3}, [](mjModel& m) -> mjtNum* { return m.opt.magnetic; });
  add_option("opt.timestep", {}, [](mjModel& m) { return &m.opt.timestep; });
  add_option("opt.viscosity", {}, [](mjModel& m) { return &m.opt.viscosity; });
  add_option("opt.wind", {3}, [](mjModel& m) -> mjtNum* { return m.opt.wind; });
  std::ranges::sort(fields, {}, &ModelField::name);
  return fields;
}

Model WithFields(const Model& model,
                 const std::vector<std::pair<ModelField, Span<double>>>& fields) {
  const auto variant = std::make_shared<ModelVariant>(model);
  for (const auto& [field, numbers] : fields) {
    std::ranges::copy(numbers, field.option != nullptr ? field.option(variant->model)
                                                       : variant->Own(field.array, field.size()));
  }
  return AsModel(variant);
}

}  // namespace parallel_pool::mujoco
