#include "parallel_pool/envs/mujoco/any_model/any_model.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace parallel_pool::mujoco {
namespace {

constexpr Field kFields[] = {
    {"act", &mjData::act, &mjModel::na},
    {"cacc", &mjData::cacc, &mjModel::nbody, 6, true},
    {"cfrc_ext", &mjData::cfrc_ext, &mjModel::nbody, 6, true},
    {"cfrc_int", &mjData::cfrc_int, &mjModel::nbody, 6, true},
    {"cinert", &mjData::cinert, &mjModel::nbody, 10},
    {"ctrl", &mjData::ctrl, &mjModel::nu},
    {"cvel", &mjData::cvel, &mjModel::nbody, 6},
    {"geom_xmat", &mjData::geom_xmat, &mjModel::ngeom, 9},
    {"geom_xpos", &mjData::geom_xpos, &mjModel::ngeom, 3},
    {"qacc", &mjData::qacc, &mjModel::nv},
    {"qfrc_actuator", &mjData::qfrc_actuator, &mjModel::nv},
    {"qfrc_constraint", &mjData::qfrc_constraint, &mjModel::nv},
    {"qfrc_passive", &mjData::qfrc_passive, &mjModel::nv},
    {"qpos", &mjData::qpos, &mjModel::nq},
    {"qvel", &mjData::qvel, &mjModel::nv},
    {"sensordata", &mjData::sensordata, &mjModel::nsensordata},
    {"site_xmat", &mjData::site_xmat, &mjModel::nsite, 9},
    {"site_xpos", &mjData::site_xpos, &mjModel::nsite, 3},
    {"subtree_com", &mjData::subtree_com, &mjModel::nbody, 3},
    {"ten_length", &mjData::ten_length, &mjModel::ntendon},
    {"ten_velocity", &mjData::ten_velocity, &mjModel::ntendon},
    {"xipos", &mjData::xipos, &mjModel::nbody, 3},
    {"xmat", &mjData::xmat, &mjModel::nbody, 9},
    {"xpos", &mjData::xpos, &mjModel::nbody, 3},
    {"xquat", &mjData::xquat, &mjModel::nbody, 4},
};

std::string Allowed() {
  std::string text;
  for (const Field& field : kFields) text += (text.empty() ? "" : ", ") + std::string(field.name);
  return text;
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

}  // namespace

std::vector<ModelField> GivenFields(const mjModel& model, const EnvArrays& arrays) {
  const std::vector<ModelField> all = FieldsOf(model);
  std::vector<ModelField> given;
  for (const EnvArray& array : arrays.all()) {
    const auto found = std::ranges::find(all, array.name, &ModelField::name);
    if (found == all.end()) {
      throw std::invalid_argument("model_fields has '" + std::string(array.name) + "'; " +
                                  Near(array.name, all));
    }
    if (!std::ranges::equal(found->shape, array.shape)) {
      const Span<int32_t> shape = {found->shape.data(), static_cast<int32_t>(found->shape.size())};
      throw std::invalid_argument("model_fields['" + found->name + "'] has the shape " +
                                  Text(array.shape) + "; this model needs " + Text(shape));
    }
    given.push_back(*found);
  }
  return given;
}

std::vector<Field> FieldsOf(const Lines& names) {
  std::vector<Field> fields;
  std::istringstream lines(names.text);
  for (std::string name; std::getline(lines, name);) {
    const auto* const found =
        std::ranges::find_if(kFields, [&](const Field& field) { return name == field.name; });
    if (found == std::end(kFields)) {
      throw std::invalid_argument("obs has '" + name + "'; allowed are " + Allowed());
    }
    fields.push_back(*found);
  }
  if (fields.empty()) throw std::invalid_argument("obs is empty; allowed are " + Allowed());
  return fields;
}

}  // namespace parallel_pool::mujoco
