#include "parallel_pool/core/binding/body_list.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace parallel_pool {
namespace {

namespace py = pybind11;

constexpr const char* kShapeKinds[] = {"box", "sphere", "capsule", "cylinder", "ellipsoid", "mesh"};

// A copy of the numbers.
template <class T>
py::array_t<T> Copied(const T* numbers, std::vector<py::ssize_t> shape) {
  return py::array_t<T>(std::move(shape), numbers);
}

// x, y, z, and the rotation w, x, y, z.
py::array_t<double> AsArray(const BodyPlace& place) {
  py::array_t<double> array(7);
  std::copy_n(place.position, 3, array.mutable_data());
  std::copy_n(place.rotation, 4, array.mutable_data() + 3);
  return array;
}

py::tuple AsTuple(const BodyShape& shape) {
  const auto rows = [](int32_t numbers) { return py::ssize_t{numbers / 3}; };
  return py::make_tuple(kShapeKinds[static_cast<size_t>(shape.kind)], AsArray(shape.place),
                        Copied(shape.size, {3}), Copied(shape.color, {4}),
                        Copied(shape.vertices.data, {rows(shape.vertices.size), 3}),
                        Copied(shape.triangles.data, {rows(shape.triangles.size), 3}));
}

}  // namespace

void BodyList::Add(const char* name, const BodyPlace& place, Span<BodyShape> shapes) {
  py::list all;
  for (const BodyShape& shape : shapes) all.append(AsTuple(shape));
  bodies.append(py::make_tuple(name, AsArray(place), all));
}

}  // namespace parallel_pool
