#include "parallel_pool/envs/mujoco/engine/data_reads.h"

#include <algorithm>
#include <iterator>

#include "parallel_pool/envs/mujoco/lanes/stepper.h"

namespace parallel_pool::mujoco {
namespace {

using enum lanes::Reads;

struct Array {
  std::string_view name;
  unsigned reads;
};

constexpr Array kArrays[] = {
    {"M", kStages},
    {"act", kNothing},
    {"actuator_force", kStages},
    {"cam_xmat", kByPlace},
    {"cam_xpos", kByPlace},
    {"cdof", kStages},
    {"cdof_dot", kStages},
    {"cfrc_ext", kContactForces},
    {"cinert", kInertias},
    {"crb", kStages},
    {"ctrl", kNothing},
    {"cvel", kInertias},
    {"eq_active", kNothing},
    {"geom_xmat", kGeomAxes},
    {"geom_xpos", kGeoms},
    {"geom_xquat", kByPlace},
    {"history", kNothing},
    {"light_xdir", kByPlace},
    {"light_xpos", kByPlace},
    {"mocap_pos", kNothing},
    {"mocap_quat", kNothing},
    {"plastic", kNothing},
    {"plugin_state", kNothing},
    {"qLD", kStages},
    {"qLDiagInv", kStages},
    {"qacc", kNothing},
    {"qacc_smooth", kStages},
    {"qacc_warmstart", kNothing},
    {"qfrc_actuator", kActuation},
    {"qfrc_applied", kNothing},
    {"qfrc_bias", kStages},
    {"qfrc_constraint", kConstraints},
    {"qfrc_damper", kStages},
    {"qfrc_passive", kStages},
    {"qfrc_smooth", kStages},
    {"qfrc_spring", kStages},
    {"qpos", kNothing},
    {"qvel", kNothing},
    {"sensordata", kSensors | kForceSensors | kEverySensor},
    {"site_xmat", kSiteAxes},
    {"site_xpos", kSites},
    {"site_xquat", kByPlace},
    {"subtree_com", kCenters},
    {"ten_length", kTendons},
    {"ten_velocity", kTendons},
    {"time", kNothing},
    {"userdata", kNothing},
    {"xanchor", kStages},
    {"xaxis", kStages},
    {"xfrc_applied", kNothing},
    {"ximat", kStages},
    {"xipos", kPlaces},
    {"xiquat", kByPlace},
    {"xmat", kAxes},
    {"xpos", kPlaces},
    {"xquat", kQuaternions},
};

}  // namespace

unsigned ReadsOf(std::string_view name) {
  const auto* const found = std::ranges::find(kArrays, name, &Array::name);
  return found == std::end(kArrays) ? kContactForces | kOnlyLibrary : found->reads;
}

}  // namespace parallel_pool::mujoco
