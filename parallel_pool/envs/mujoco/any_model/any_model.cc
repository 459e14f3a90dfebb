#include "parallel_pool/envs/mujoco/any_model/any_model.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace parallel_pool::mujoco {
namespace {

constexpr Field kFields[] = {
    {"act", &mjData::act, &mjModel::na, 1},
    {"cacc", &mjData::cacc, &mjModel::nbody, 6},
    {"cfrc_ext", &mjData::cfrc_ext, &mjModel::nbody, 6},
    {"cfrc_int", &mjData::cfrc_int, &mjModel::nbody, 6},
    {"cinert", &mjData::cinert, &mjModel::nbody, 10},
    {"ctrl", &mjData::ctrl, &mjModel::nu, 1},
    {"cvel", &mjData::cvel, &mjModel::nbody, 6},
    {"geom_xmat", &mjData::geom_xmat, &mjModel::ngeom, 9},
    {"geom_xpos", &mjData::geom_xpos, &mjModel::ngeom, 3},
    {"qacc", &mjData::qacc, &mjModel::nv, 1},
    {"qfrc_actuator", &mjData::qfrc_actuator, &mjModel::nv, 1},
    {"qfrc_constraint", &mjData::qfrc_constraint, &mjModel::nv, 1},
    {"qfrc_passive", &mjData::qfrc_passive, &mjModel::nv, 1},
    {"qpos", &mjData::qpos, &mjModel::nq, 1},
    {"qvel", &mjData::qvel, &mjModel::nv, 1},
    {"sensordata", &mjData::sensordata, &mjModel::nsensordata, 1},
    {"site_xmat", &mjData::site_xmat, &mjModel::nsite, 9},
    {"site_xpos", &mjData::site_xpos, &mjModel::nsite, 3},
    {"subtree_com", &mjData::subtree_com, &mjModel::nbody, 3},
    {"ten_length", &mjData::ten_length, &mjModel::ntendon, 1},
    {"ten_velocity", &mjData::ten_velocity, &mjModel::ntendon, 1},
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

}  // namespace

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
