// An agent goes to one of two landmarks. An adversary does not know which, and pushes it away.
#pragma once

#include "parallel_pool/envs/mpe/game.h"

namespace parallel_pool::mpe {

struct SimplePush {
  struct Config : GameConfig {};
  static Options<Config> Describe() { return DescribeGame<Config>({}); }

  enum { kAdversary, kAgent };

  static World Build(const Config&) {
    World world;
    world.AddAgent({"adversary_0", "adversary"},
                   {.color = {0.75, 0.25, 0.25}, .is_movable = true, .collides = true});
    world.AddAgent({"agent_0", "agent"}, {.is_movable = true, .collides = true});
    world.AddLandmarks(2, {.color = {0.1, 0.1, 0.1}});
    for (int i = 0; i < 2; ++i) world.landmarks()[i].color[i + 1] += 0.8;
    return world;
  }

  static void Begin(const Config&, World& world, Rng& rng) {
    world.goals[0] = static_cast<int32_t>(rng.Integers(0, 2));
    Entity& agent = world.entities[kAgent];
    agent.color = {0.25, 0.25, 0.25};
    agent.color[world.goals[0] + 1] += 0.5;
    world.Scatter(rng);
  }

  static void Reward(const Config&, const World& world, std::span<double> rewards) {
    const Point goal = world.goal().position;
    const double agent = Distance(world.entities[kAgent].position, goal);
    rewards[kAgent] = -agent;
    rewards[kAdversary] = agent - Distance(goal, world.entities[kAdversary].position);
  }

  static void Observe(const Config&, const World& world, int self, Row& row) {
    const Entity& agent = world.entities[self];
    row.Add(agent.velocity);
    if (self == kAgent) {
      row.Add(world.goal().position - agent.position);
      row.Add(agent.color);
    }
    for (const Entity& landmark : world.landmarks()) row.Add(landmark.position - agent.position);
    if (self == kAgent) {
      for (const Entity& landmark : world.landmarks()) row.Add(landmark.color);
    }
    row.Add(world.entities[1 - self].position - agent.position);
  }
};

}  // namespace parallel_pool::mpe
