// The picture of LunarLander, equal to that of Gymnasium 1.4 by ==, if that is drawn at each step.
#pragma once

#include <Box2D/Box2D.h>

#include <algorithm>
#include <array>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/envs/box2d/shown_body.h"

namespace parallel_pool::box2d {

inline constexpr ImageSize kLanderSize{400, 600};

// A particle that an engine throws out in a step.
struct Spark {
  b2Vec2 place, impulse;  // of its first push: m, N s
  double power = 0;       // 0: there is none
  float density = 0;
};

// The sparks of the last steps. All older ones have gone out.
struct Exhaust {
  static constexpr int kSteps = 6;
  using Step = std::array<Spark, 2>;  // of the main engine and of a side engine

  void Begin() {
    std::shift_left(steps.begin(), steps.end(), 1);
    steps.back() = {};
  }
  void Add(const Spark& spark) { steps.back()[steps.back()[0].power > 0 ? 1 : 0] = spark; }

  std::array<Step, kSteps> steps{};  // the newest at the end
};

struct LanderScene {
  static constexpr int kPoints = 11;
  using Ground = std::array<Point, kPoints>;  // from left to right, m

  Ground ground;
  Exhaust exhaust;
  double gravity;  // m/s^2
  std::array<ShownBody, 3> bodies;
};

// Adds the body of the ground, as Gymnasium's moon.
void AddMoon(b2World& world, const LanderScene::Ground& ground);

// Writes 400 x 600 x 3 bytes.
void DrawLanderPicture(const LanderScene& scene, uint8_t* rgb);

}  // namespace parallel_pool::box2d
