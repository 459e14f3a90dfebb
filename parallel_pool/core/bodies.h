// The bodies of a world in three dimensions, for viewers. Part of the boundary of plugin.h: plain
// data, spans and abstract classes.
#pragma once

#include <cstdint>

#include "parallel_pool/core/array_spec.h"

namespace parallel_pool {

// A position in meters, and a rotation: a unit quaternion w, x, y, z.
struct BodyPlace {
  double position[3];
  double rotation[4];
};

enum class ShapeKind : int32_t {
  kBox,        // size: half of each side
  kSphere,     // size[0]: the radius
  kCapsule,    // size[0]: the radius, size[1]: half of the length of the cylinder along z
  kCylinder,   // the same
  kEllipsoid,  // size: the radii
  kMesh,       // triangles
};

struct BodyShape {
  ShapeKind kind;
  BodyPlace place;            // within the body
  double size[3];             // in meters
  float color[4];             // red, green, blue and alpha, 0 to 1
  Span<float> vertices{};     // kMesh: three numbers each
  Span<int32_t> triangles{};  // kMesh: three vertices each
};

// Receives bodies, one after another.
class BodyReceiver {
 public:
  virtual void Add(const char* name, const BodyPlace& place, Span<BodyShape> shapes) = 0;

 protected:
  ~BodyReceiver() = default;
};

}  // namespace parallel_pool
