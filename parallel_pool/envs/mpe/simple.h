// One agent goes to a landmark.
#pragma once

#include "parallel_pool/envs/mpe/game.h"

namespace parallel_pool::mpe {

struct Simple {
  struct Config : GameConfig {};
  static Options<Config> Describe() { return DescribeGame<Config>({}); }

  static World Build(const Config&) {
    World world;
    world.AddAgent({"agent_0", "agent"}, {.is_movable = true});
    world.AddLandmarks(1, {.color = {0.75, 0.25, 0.25}});
    return world;
  }

  static void Begin(const Config&, World& world, Rng& rng) { world.Scatter(rng); }

  static void Reward(const Config&, const World& world, std::span<double> rewards) {
    rewards[0] = -SquaredDistance(world.entities[0].position, world.goal().position);
  }

  static void Observe(const Config&, const World& world, int, Row& row) {
    const Entity& agent = world.entities[0];
    row.Add(agent.velocity);
    row.Add(world.goal().position - agent.position);
  }
};

}  // namespace parallel_pool::mpe
