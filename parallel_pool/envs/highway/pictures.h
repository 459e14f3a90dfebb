// The pictures of highway-env 1.12.1, equal to those of its render() by ==, and the frames of its
// GrayscaleObservation.
//
// The view follows a car: its center is at a fixed place of the picture. Lanes are drawn first,
// then things, then cars; each in the order of its list.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "parallel_pool/core/view.h"
#include "parallel_pool/envs/highway/options.h"
#include "parallel_pool/envs/highway/traffic.h"

namespace parallel_pool::highway {

// The options of a picture.
struct Screen {
  ImageSize size;  // screen_height and screen_width, in pixels
  double scaling;  // pixels per m
  // centering_position: where the view's center is, x and y, as parts of the width and the height.
  std::array<double, 2> center;
};

// That of Render.
inline Screen ScreenOf(const TaskOptions& task) {
  return {{task.screen_height, task.screen_width},
          task.scaling,
          {task.centering_position[0], task.centering_position[1]}};
}
// That of a GrayscaleObservation, whose shape is a width and a height.
inline Screen ScreenOf(const TaskOptions& task, const ObservationOptions& options) {
  Screen screen = ScreenOf(task);
  screen.size = {static_cast<int32_t>(options.observation_shape[1]),
                 static_cast<int32_t>(options.observation_shape[0])};
  if (options.scaling != 0) screen.scaling = options.scaling;
  if (!options.centering_position.empty()) {
    screen.center = {options.centering_position[0], options.centering_position[1]};
  }
  return screen;
}

// All that a picture shows.
struct Scene {
  const Road& road;
  std::span<const Car> things, cars;
  std::span<const int> green_cars;  // which ones are green even if they have crashed: the egos of
                                    // the parking tasks
  Point view;                       // the observer's position, which the view follows
  Screen screen;
};

// Writes height * width * 3 bytes, row by row. The calling thread keeps scratch memory.
void Draw(const Scene& scene, View<uint8_t> rgb);

// Writes the frame of a GrayscaleObservation: width * height bytes, column by column from left to
// right. `weights` are those of red, green and blue.
void DrawGray(const Scene& scene, const std::array<double, 3>& weights, View<uint8_t> gray);

// The surroundings of an ego.
inline Scene SceneOf(const Traffic& traffic, int ego, const Screen& screen) {
  std::span<const int> green_cars;
  if (traffic.rules().shows_green_egos) green_cars = traffic.egos;
  return {traffic.road(), traffic.things, traffic.cars, green_cars, traffic.ego(ego).position,
          screen};
}

}  // namespace parallel_pool::highway
