// Walk over rough ground on two legs, as in Gymnasium 1.4's BipedalWalker-v3.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/box2d/physics/world.h"
#include "parallel_pool/envs/box2d/terrain.h"
#include "parallel_pool/envs/box2d/touch.h"
#include "parallel_pool/envs/box2d/walker_picture.h"

namespace parallel_pool::box2d {

class BipedalWalker {
 public:
  struct Config { bool hardcore = false; };
  struct Action { View<const AnyFloat> torque; };  // hip and knee of both legs
  struct State {
    View<float> obs;  // of the hull: angle, its speed, x and y speed; of each leg: hip angle and
                      // speed, knee angle and speed, ground contact; 10 distances
  };

  static Options<Config> Describe() {
    return {Option<&Config::hardcore>("hardcore", "the ground has stumps, stairs and pits")};
  }
  static EnvSpec<Action, State> Describe(const Config& config);

  BipedalWalker(const Config& config, Rng& rng);
  void Reset();
  static void StepChunk(Chunk<BipedalWalker>& chunk) { StepTogether(chunk); }
  static int ChunkSize(const Config&) { return MostIslands(); }
  void Observe(const State& state) const;
  auto Saved() { return std::tie(*this); }
  void Save(Writer& writer) const;
  bool Load(Reader& reader);
  static int RenderFps(const Config&) { return static_cast<int>(kFps); }
  static ImageSize RenderSize(const Config&) { return kWalkerSize; }
  void Render(View<uint8_t> rgb) const;

  // The parts of a step, for StepTogether.
  void Act(const Action& action);
  World& world() { return *world_; }
  Outcome Judge(const Action& action);

 private:
  static constexpr int kLegParts = 4, kRays = 10;  // kLegParts: upper, lower, upper, lower
  static constexpr double kScale = Terrain::kScale;

  struct Ray {
    b2Vec2 to;
    float fraction;  // of the range; 1: it reached no ground
  };

  void MakeWorld();
  void MakeBodies();
  void MakeGround();
  void MakeHull();
  void MakeLegPart(int i);
  void Destroy();
  void Look();
  std::optional<WalkerScene::Ray> ShownRay() const;

  const Config config_;
  Rng& rng_;
  Touch touch_;
  std::optional<World> world_;  // one for all episodes, as Gymnasium's
  Terrain terrain_;
  std::vector<b2Body*> ground_;
  b2Body* hull_ = nullptr;
  std::array<b2Body*, kLegParts> leg_{};
  std::array<b2RevoluteJoint*, kLegParts> joints_{};
  std::array<Ray, kRays> rays_{};
  int num_looks_ = 0;   // of the episode; says which ray the picture shows
  double shaping_ = 0;  // the potential whose differences are rewards
};

}  // namespace parallel_pool::box2d
