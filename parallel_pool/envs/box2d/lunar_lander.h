// Land between two flags with three engines, as in Gymnasium 1.4's LunarLander-v3.
#pragma once

#include <array>
#include <optional>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/box2d/lander_picture.h"
#include "parallel_pool/envs/box2d/physics/world.h"
#include "parallel_pool/envs/box2d/touch.h"

namespace parallel_pool::box2d {

class LunarLander {
 public:
  struct Config {
    bool continuous = false;
    double gravity = -10.0;  // m/s^2
    bool enable_wind = false;
    double wind_power = 15.0;       // N, the strongest wind
    double turbulence_power = 1.5;  // N m, its strongest torque
  };
  struct Action {
    View<const int32_t> engine;
    View<const AnyFloat> throttle;  // if continuous, instead of engine: main, side
  };
  struct State {
    View<float> obs;  // x, y, their speeds, angle, its speed, ground contact of both legs
  };

  static Options<Config> Describe();
  static void Complete(Config& config);
  static EnvSpec<Action, State> Describe(const Config& config);

  LunarLander(const Config& config, Rng& rng) : config_(config), rng_(rng) {}
  void Reset();
  static void StepChunk(Chunk<LunarLander>& chunk) { StepTogether(chunk); }
  // So many that a thread has full groups of islands, although some envs of the chunk reset.
  static int ChunkSize(const Config&) { return 2 * MostIslands(); }
  void Observe(const State& state) const;
  auto Saved() { return std::tie(*this); }
  void Save(Writer& writer) const;
  bool Load(Reader& reader);
  static int RenderFps(const Config&) { return static_cast<int>(kFps); }
  static ImageSize RenderSize(const Config&) { return kLanderSize; }
  void Render(View<uint8_t> rgb) const;

  // The parts of a step, for StepTogether.
  void Act(const Action& action);
  World& world() { return *world_; }
  Outcome Judge(const Action&) { return Judge(); }

 private:
  static constexpr double kScale = 30.0;  // pixels of Gymnasium's picture per m
  static constexpr double kWidth = 600 / kScale, kHeight = 400 / kScale;  // m
  static constexpr double kPadHeight = kHeight / 4;                       // m
  static constexpr int kPoints = LanderScene::kPoints;

  // The power of the engines in a step, each 0 to 1; a side engine's sign is its direction.
  struct Throttle { double main = 0, side = 0; };
  // The lander's direction, and how far from its usual place an engine pushes.
  struct Jitter { double up_x, up_y, along, across; };

  void DrawGround();
  void MakeBodies();
  void MakeGround();
  void MakeLander();
  void MakeLeg(int i);
  Throttle ThrottleOf(const Action& action) const;
  void Act();
  void Blow();
  void FireMain(const Jitter& jitter);
  void FireSide(const Jitter& jitter);
  void Fire(const Spark& spark);
  Outcome Judge();
  std::array<double, 8> Measure() const;

  const Config config_;
  Rng& rng_;
  std::optional<World> world_;  // a new one for each episode, as Gymnasium's
  Touch touch_;
  Throttle throttle_;
  std::array<Point, kPoints> ground_{};  // from left to right, m
  Exhaust exhaust_;
  b2Body* lander_ = nullptr;
  double shaping_ = 0;           // the potential whose differences are rewards
  int64_t wind_ = 0, gust_ = 0;  // steps into the wind's force and torque
};

}  // namespace parallel_pool::box2d
