// The bodies of a world, as Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include "parallel_pool/core/bodies.h"

namespace parallel_pool {

// A tuple of each body: its name; its place, float64 (7,): x, y, z, and the rotation w, x, y, z;
// and its shapes. A shape is a tuple of its kind, place, size (3,), color (4,), vertices (n, 3) and
// triangles (m, 3).
class BodyList final : public BodyReceiver {
 public:
  void Add(const char* name, const BodyPlace& place, Span<BodyShape> shapes) override;

  pybind11::list bodies;
};

}  // namespace parallel_pool
