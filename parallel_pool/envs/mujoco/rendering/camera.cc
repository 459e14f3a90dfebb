#include "parallel_pool/envs/mujoco/rendering/camera.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace parallel_pool::mujoco {
namespace {

mjtNum Median(std::vector<mjtNum>& numbers) {
  const auto upper = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), upper, numbers.end());
  if (numbers.size() % 2 == 1) return *upper;
  return (*std::max_element(numbers.begin(), upper) + *upper) / 2;
}

std::string NameOf(const mjModel& model, int camera) {
  return model.names + model.name_camadr[camera];
}

// The names of the cameras that have one.
std::string Names(const mjModel& model) {
  std::string names;
  for (int i = 0; i < model.ncam; ++i) {
    if (NameOf(model, i).empty()) continue;
    names += (names.empty() ? "" : ", ") + NameOf(model, i);
  }
  return names;
}

}  // namespace

Point3 Middle(const Simulation& world) {
  thread_local std::vector<mjtNum> numbers;
  const int geoms = world.model().ngeom;
  Point3 middle = {};
  if (geoms == 0) return middle;
  numbers.resize(geoms);
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < geoms; ++i) numbers[i] = world.data().geom_xpos[3 * i + k];
    middle[k] = Median(numbers);
  }
  return middle;
}

int FindCamera(const mjModel& model, int id, const std::string& name) {
  if (name.empty()) {
    if (id < model.ncam) return id;
    throw std::invalid_argument("camera_id is " + std::to_string(id) + "; the model has " +
                                std::to_string(model.ncam) +
                                " cameras, numbered from 0, and -1 is the free camera");
  }
  if (id != kFreeCamera) {
    throw std::invalid_argument("camera_id is " + std::to_string(id) + " and camera_name is '" +
                                name + "'; give one of them");
  }
  const int found = mj_name2id(&model, mjOBJ_CAMERA, name.c_str());
  if (found >= 0) return found;
  const std::string names = Names(model);
  throw std::invalid_argument(
      "camera_name is '" + name + "'; " +
      (names.empty() ? "the model's cameras have no names" : "the model's cameras are " + names));
}

}  // namespace parallel_pool::mujoco
