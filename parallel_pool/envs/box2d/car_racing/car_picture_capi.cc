// The pictures of CarRacing as C functions, for car_picture_test.py (ctypes).
#include <vector>

#include "parallel_pool/envs/box2d/car_racing/car_picture.h"

using namespace parallel_pool::box2d;

namespace {

Rgb ToRgb(const uint8_t* rgb) {
  return {rgb[0], rgb[1], rgb[2]};
}

Point ToPoint(const double* xy) {
  return {xy[0], xy[1]};
}

}  // namespace

// The arrays of one scene, in C order.
struct SceneArrays {
  const double* hull;      // time, reward, position, angle, velocity, angular velocity, steering: 9
  const double* outlines;  // 8 (hull's parts, wheels) x 8 corners x 2
  const int* num_corners;  // 8
  const double* wheels;    // 4 x (x, y, sin, cos, phase, omega)
  const uint8_t* colors;   // background, grass
  const double* road;      // num_road x 4 corners x 2
  const uint8_t* road_colors;  // num_road x 3
  int num_road;
  const double* skid_points;  // of all marks
  const int* skid_marks;      // num_skid_marks x (number of points, whether on grass)
  int num_skid_marks;
};

namespace {

void ReadBodies(const SceneArrays& arrays, CarScene* scene) {
  for (int i = 0; i < 8; ++i) {
    Outline& outline = i < 4 ? scene->hull[i] : scene->wheels[i - 4].outline;
    outline.num_corners = arrays.num_corners[i];
    for (int k = 0; k < 8; ++k) outline.corners[k] = ToPoint(arrays.outlines + 16 * i + 2 * k);
  }
  for (int i = 0; i < 4; ++i) {
    const double* const values = arrays.wheels + 6 * i;
    WheelPose& wheel = scene->wheels[i];
    wheel.x = static_cast<float>(values[0]);
    wheel.y = static_cast<float>(values[1]);
    wheel.sin = static_cast<float>(values[2]);
    wheel.cos = static_cast<float>(values[3]);
    wheel.phase = values[4];
    wheel.omega = values[5];
  }
}

std::vector<RoadPolygon> ReadRoad(const SceneArrays& arrays) {
  std::vector<RoadPolygon> road(arrays.num_road);
  for (int i = 0; i < arrays.num_road; ++i) {
    for (int k = 0; k < 4; ++k) road[i].corners[k] = ToPoint(arrays.road + 8 * i + 2 * k);
    road[i].color = ToRgb(arrays.road_colors + 3 * i);
  }
  return road;
}

std::vector<SkidMark> ReadSkidMarks(const SceneArrays& arrays) {
  std::vector<SkidMark> marks(arrays.num_skid_marks);
  const double* point = arrays.skid_points;
  for (int i = 0; i < arrays.num_skid_marks; ++i) {
    for (int k = 0; k < arrays.skid_marks[2 * i]; ++k, point += 2) {
      marks[i].points.push_back(ToPoint(point));
    }
    marks[i].is_on_grass = arrays.skid_marks[2 * i + 1] != 0;
  }
  return marks;
}

}  // namespace

// Draws a picture, by the plain way or by the fast one of observations, `times` times.
extern "C" __attribute__((visibility("default"))) void DrawScene(const SceneArrays& arrays,
                                                                 bool is_plain, int height,
                                                                 int width, bool has_skid_marks,
                                                                 int times, uint8_t* rgb) {
  const double* const hull = arrays.hull;
  const std::vector<RoadPolygon> road = ReadRoad(arrays);
  const std::vector<SkidMark> marks = ReadSkidMarks(arrays);
  CarScene scene{
      .time = hull[0],
      .reward = hull[1],
      .position = ToPoint(hull + 2),
      .angle = hull[4],
      .velocity = ToPoint(hull + 5),
      .angular_velocity = hull[7],
      .steering = hull[8],
      .hull = {},
      .wheels = {},
      .background = ToRgb(arrays.colors),
      .grass = ToRgb(arrays.colors + 3),
      .road = road,
      .skid_marks = marks,
  };
  ReadBodies(arrays, &scene);
  for (int i = 0; i < times; ++i) {
    if (is_plain) {
      DrawCarPicture(scene, {height, width}, has_skid_marks, rgb);
    } else {
      DrawCarObservation(scene, rgb);
    }
  }
}
