#include "parallel_pool/envs/mujoco/rendering/bodies.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace parallel_pool::mujoco {
namespace {

constexpr int kHiddenGroup = 3;  // pictures show geoms of the groups before

BodyPlace PlaceOf(const mjtNum* position, const mjtNum* rotation) {
  BodyPlace place{};
  std::copy_n(position, 3, place.position);
  std::copy_n(rotation, 4, place.rotation);
  return place;
}

void SetMesh(const mjModel& model, int mesh, BodyShape* shape) {
  shape->kind = ShapeKind::kMesh;
  shape->vertices = {model.mesh_vert + ptrdiff_t{3} * model.mesh_vertadr[mesh],
                     3 * model.mesh_vertnum[mesh]};
  shape->triangles = {model.mesh_face + ptrdiff_t{3} * model.mesh_faceadr[mesh],
                      3 * model.mesh_facenum[mesh]};
}

// The shape of a geom; false if there is none to show.
bool SetShape(const mjModel& model, int geom, BodyShape* shape) {
  const mjtNum* const size = model.geom_size + 3 * geom;
  std::copy_n(size, 3, shape->size);
  shape->place = PlaceOf(model.geom_pos + 3 * geom, model.geom_quat + 4 * geom);
  const int material = model.geom_matid[geom];
  const float* const color =
      material < 0 ? model.geom_rgba + 4 * geom : model.mat_rgba + 4 * material;
  std::copy_n(color, 4, shape->color);
  if (shape->color[3] == 0 || model.geom_group[geom] >= kHiddenGroup) return false;
  switch (model.geom_type[geom]) {
    case mjGEOM_SPHERE:
      shape->kind = ShapeKind::kSphere;
      return true;
    case mjGEOM_CAPSULE:
      shape->kind = ShapeKind::kCapsule;
      return true;
    case mjGEOM_CYLINDER:
      shape->kind = ShapeKind::kCylinder;
      return true;
    case mjGEOM_ELLIPSOID:
      shape->kind = ShapeKind::kEllipsoid;
      return true;
    case mjGEOM_BOX:
      shape->kind = ShapeKind::kBox;
      return true;
    case mjGEOM_MESH:
      SetMesh(model, model.geom_dataid[geom], shape);
      return true;
    default:
      return false;
  }
}

}  // namespace

void TellBodies(const mjModel& model, const mjData& data, bool with_shapes, BodyReceiver& bodies) {
  std::vector<BodyShape> shapes;
  for (int body = 0; body < model.nbody; ++body) {
    shapes.clear();
    const int first = model.body_geomadr[body];
    for (int geom = first; with_shapes && geom < first + model.body_geomnum[body]; ++geom) {
      BodyShape shape{};
      if (SetShape(model, geom, &shape)) shapes.push_back(shape);
    }
    const char* const own = mj_id2name(&model, mjOBJ_BODY, body);
    const std::string name = own != nullptr ? own : "body_" + std::to_string(body);
    bodies.Add(name.c_str(), PlaceOf(data.xpos + 3 * body, data.xquat + 4 * body),
               Span<BodyShape>::Of(shapes));
  }
}

}  // namespace parallel_pool::mujoco
