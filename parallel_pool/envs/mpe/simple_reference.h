// Each of two agents knows to which of three landmarks the other has to go, and speaks.
#pragma once

#include <algorithm>

#include "parallel_pool/envs/mpe/game.h"

namespace parallel_pool::mpe {

struct SimpleReference {
  struct Config : GameConfig { double local_ratio = 0.5; };
  static Options<Config> Describe() {
    return DescribeGame<Config>({Option<&Config::local_ratio>(
        "local_ratio", "share of an agent's own reward, next to that of all",
        {.min = 0, .max = 1})});
  }

  static World Build(const Config&) {
    World world;
    world.word_size = 10;
    for (const char* name : {"agent_0", "agent_1"}) {
      world.AddAgent({name, "agent"}, {.is_movable = true, .speaks = true});
    }
    world.AddLandmarks(3, {});
    for (int i = 0; i < 3; ++i) world.landmarks()[i].color[i] = 0.75;
    return world;
  }

  // World::goals has the landmark that agent i wants the other to go to.
  static void Begin(const Config&, World& world, Rng& rng) {
    for (int32_t& goal : world.goals) goal = static_cast<int32_t>(rng.Integers(0, 3));
    for (int i = 0; i < 2; ++i) world.entities[1 - i].color = world.goal(i).color;
    world.Scatter(rng);
  }

  static void Reward(const Config& config, const World& world, std::span<double> rewards) {
    for (int i = 0; i < 2; ++i) {
      rewards[i] = -Distance(world.entities[1 - i].position, world.goal(i).position);
    }
    const double global = (rewards[0] + rewards[1]) / 2;
    for (double& reward : rewards) {
      reward = global * (1 - config.local_ratio) + reward * config.local_ratio;
    }
  }

  static void Observe(const Config&, const World& world, int self, Row& row) {
    const Entity& agent = world.entities[self];
    row.Add(agent.velocity);
    for (const Entity& landmark : world.landmarks()) row.Add(landmark.position - agent.position);
    row.Add(world.goal(self).color);
    row.Add(world.word(1 - self));
  }
};

}  // namespace parallel_pool::mpe
