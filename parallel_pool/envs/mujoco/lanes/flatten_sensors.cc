// The sensors of a model.
#include "parallel_pool/envs/mujoco/lanes/flatten.h"

namespace parallel_pool::mujoco::lanes {
namespace {

// Whether no step changes a sensor's value: the place of a site of the world body, and the
// acceleration of what nothing moves.
bool IsConstant(const mjModel& m, int s) {
  if (m.sensor_objtype[s] != mjOBJ_SITE) return false;
  const int body = m.site_bodyid[m.sensor_objid[s]];
  return m.sensor_type[s] == mjSENS_FRAMEPOS
             ? body == 0 && m.sensor_refid[s] < 0
             : m.sensor_type[s] == mjSENS_ACCELEROMETER && DofsOf(m, body).empty();
}

// Whether FindSensors computes a sensor's value.
bool IsComputed(const mjModel& m, int s) {
  switch (m.sensor_type[s]) {
    case mjSENS_JOINTPOS:
    case mjSENS_JOINTVEL:
    case mjSENS_SUBTREECOM:
    case mjSENS_SUBTREELINVEL:
    case mjSENS_VELOCIMETER:
    case mjSENS_GYRO:
      return true;
    case mjSENS_FRAMEPOS:
      return m.sensor_refid[s] < 0 &&
             (m.sensor_objtype[s] == mjOBJ_XBODY || m.sensor_objtype[s] == mjOBJ_SITE);
    default:
      return false;
  }
}

}  // namespace

// Sensors of other kinds, with a cutoff, or beyond the room for them are no part of a step in
// lanes.
void AddSensors(const mjModel& m, StepModel& flat) {
  if (m.opt.disableflags & mjDSBL_SENSOR) return;
  for (int s = 0; s < m.nsensor; ++s) {
    const int type = m.sensor_type[s], address = m.sensor_adr[s], object = m.sensor_objid[s];
    const bool is_touch = type == mjSENS_TOUCH;
    const bool is_of_force =
        type == mjSENS_ACCELEROMETER || type == mjSENS_FORCE || type == mjSENS_TORQUE;
    if (IsConstant(m, s)) continue;
    const bool is_full = is_touch      ? flat.num_touches == kMaxTouches
                         : is_of_force ? flat.num_force_sensors == kMaxSensors
                                       : flat.num_sensors == kMaxSensors;
    const bool is_known = is_touch || is_of_force || IsComputed(m, s);
    if (!is_known || is_full || m.sensor_cutoff[s] > 0) {
      flat.lacks_sensors = true;
      continue;
    }
    if (is_of_force) {
      flat.force_sensors[flat.num_force_sensors++] = {address, type, object};
      continue;
    }
    if (is_touch) {
      TouchSensor& touch = flat.touches[flat.num_touches++];
      touch = {.address = address, .site = object, .type = m.site_type[object], .size = {}};
      Copy(touch.size, m.site_size + 3 * object);
      continue;
    }
    flat.sensors[flat.num_sensors++] = {.address = address,
                                        .size = m.sensor_dim[s],
                                        .type = type,
                                        .object = type == mjSENS_JOINTPOS   ? m.jnt_qposadr[object]
                                                  : type == mjSENS_JOINTVEL ? m.jnt_dofadr[object]
                                                                            : object,
                                        .is_of_body = m.sensor_objtype[s] == mjOBJ_XBODY};
    flat.has_subtree_sensors |= type == mjSENS_SUBTREELINVEL;
  }
}

}  // namespace parallel_pool::mujoco::lanes
