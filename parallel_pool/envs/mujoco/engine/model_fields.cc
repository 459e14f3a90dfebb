#include "parallel_pool/envs/mujoco/engine/model_fields.h"

#include <mujoco/mjxmacro.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
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

std::string Text(Span<int32_t> shape) {
  std::string text = "(num_envs";
  for (const int32_t n : shape) text += ", " + std::to_string(n);
  return text + ")";
}

// The allowed names for an error: those with the same first word as the unknown name, else all
// first words.
std::string Near(const std::string& name, const std::vector<ModelField>& fields) {
  const auto first_word = [](const std::string& s) {
    return s.substr(0, s.find_first_of("_.") + 1);
  };
  std::string near, all, last;
  for (const ModelField& field : fields) {
    const std::string word = first_word(field.name);
    if (!word.empty() && word == first_word(name)) near += (near.empty() ? "" : ", ") + field.name;
    if (word != last && !word.empty()) all += (all.empty() ? "" : ", ") + word + "...";
    last = word;
  }
  if (!near.empty()) return "allowed are " + near;
  return "allowed are the arrays of numbers of mjModel, " + all;
}

// The field that `array` sets. Throws std::invalid_argument if there is none of its shape.
const ModelField& Find(const std::vector<ModelField>& fields, const OptionArray& array) {
  const auto found = std::ranges::find(fields, array.name, &ModelField::name);
  if (found == fields.end()) {
    throw std::invalid_argument("model_fields has '" + std::string(array.name) + "'; " +
                                Near(array.name, fields));
  }
  if (!std::ranges::equal(found->shape, array.shape)) {
    const auto shape = Span<int32_t>::Of(found->shape);
    throw std::invalid_argument("model_fields['" + found->name + "'] has the shape " +
                                Text(array.shape) + "; this model needs " + Text(shape));
  }
  return *found;
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

Model WithFields(const Model& model, const Arrays& arrays) {
  if (arrays.all().size == 0) return model;
  const std::vector<ModelField> fields = FieldsOf(*model);
  const auto variant = std::make_shared<ModelVariant>(model);
  for (const OptionArray& array : arrays.all()) {
    const ModelField& field = Find(fields, array);
    std::ranges::copy(array.numbers, field.option != nullptr
                                         ? field.option(variant->model)
                                         : variant->Own(field.array, field.size()));
  }
  return AsModel(variant);
}

}  // namespace parallel_pool::mujoco
