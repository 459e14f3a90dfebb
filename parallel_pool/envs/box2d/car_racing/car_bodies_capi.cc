// One CarRacing as C functions, for car_bodies_test.py (ctypes), which compares what infos do not
// show: bodies, wheels, colors.
#include "parallel_pool/envs/box2d/car_racing/car_racing.h"

using namespace parallel_pool;
using namespace parallel_pool::box2d;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Game {
  Game(const CarRacing::Config& options, uint64_t seed)
      : config(options), rng(seed), env(config, rng) {}

  CarRacing::Config config;
  Rng rng;
  CarRacing env;
};

}  // namespace

EXPORT Game* MakeGame(uint64_t seed, bool continuous, bool domain_randomize, double percent) {
  return new Game({.continuous = continuous,
                   .domain_randomize = domain_randomize,
                   .lap_complete_percent = percent},
                  seed);
}

EXPORT void DeleteGame(Game* game) {
  delete game;
}

EXPORT void ResetGame(Game* game, bool randomize) {
  game->env.Reset({.randomize = randomize});
}

// Writes reward, terminated and lap_finished.
EXPORT void StepGame(Game* game, const float* pedals, int32_t button, double* out) {
  AnyFloat row[4] = {};  // a row of floats
  std::copy_n(pedals, 3, reinterpret_cast<float*>(row));
  const CarRacing::Action action{{row, 3}, {&button, 1}};
  game->env.Act(action);
  game->env.world().Step();
  const Outcome outcome = game->env.Judge(action);
  out[0] = outcome.reward;
  out[1] = outcome.terminated;
  out[2] = game->env.lap_finished();
}

// Writes 5 bodies x (position, angle, velocity, angular velocity), then 4 wheels x (omega, phase,
// gas, whether it touches a tile).
EXPORT void StateOfGame(Game* game, double* out) {
  const auto put = [&](const b2Body& body) {
    const b2Vec2 at = body.GetPosition(), v = body.GetLinearVelocity();
    for (const float x : {at.x, at.y, body.GetAngle(), v.x, v.y, body.GetAngularVelocity()}) {
      *out++ = x;
    }
  };
  put(game->env.car().hull());
  for (const Car::Wheel& wheel : game->env.car().wheels()) put(*wheel.body);
  for (const Car::Wheel& wheel : game->env.car().wheels()) {
    for (const double x : {wheel.omega, wheel.phase, wheel.gas}) *out++ = x;
    *out++ = wheel.tiles > 0;
  }
}

// Writes the colors of the road's polygons and returns their number.
EXPORT int ColorsOfGame(Game* game, uint8_t* out) {
  for (const RoadPolygon& polygon : game->env.road()) {
    for (const uint8_t part : {polygon.color.red, polygon.color.green, polygon.color.blue}) {
      *out++ = part;
    }
  }
  return static_cast<int>(game->env.road().size());
}

// Writes the number of points of each skid mark, then the marks' points, and returns the number of
// marks.
EXPORT int MarksOfGame(Game* game, double* out) {
  const std::vector<SkidMark> marks = game->env.car().skid_marks();
  for (const SkidMark& mark : marks) *out++ = static_cast<double>(mark.points.size());
  for (const SkidMark& mark : marks) {
    for (const Point& point : mark.points) {
      *out++ = point.x;
      *out++ = point.y;
    }
  }
  return static_cast<int>(marks.size());
}
