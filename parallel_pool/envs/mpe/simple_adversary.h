// N good agents know which of N landmarks is the goal; an adversary has to find out.
#pragma once

#include <algorithm>
#include <string>

#include "parallel_pool/envs/mpe/game.h"
#include "parallel_pool/envs/mpe/neighbors.h"

namespace parallel_pool::mpe {

struct SimpleAdversary {
  struct Config : GameConfig, Sight {
    int N = 2;  // NOLINT: the reference's name
  };
  static Options<Config> Describe() {
    return DescribeGame<Config>(
        {Option<&Config::N>("N", "good agents, and landmarks", {.min = 1, .max = kMostOfAKind}),
         NeighborOption<&Config::num_agent_neighbors>("num_agent_neighbors", "agents"),
         NeighborOption<&Config::num_landmark_neighbors>("num_landmark_neighbors", "landmarks")});
  }

  static World Build(const Config& config) {
    World world;
    world.AddAgent({"adversary_0", "adversary"},
                   {.color = {0.85, 0.35, 0.35}, .radius = 0.15, .is_movable = true});
    for (int i = 0; i < config.N; ++i) {
      world.AddAgent({"agent_" + std::to_string(i), "agent"},
                     {.color = {0.35, 0.35, 0.85}, .radius = 0.15, .is_movable = true});
    }
    world.AddLandmarks(config.N, {.radius = 0.08});
    return world;
  }

  static void Begin(const Config& config, World& world, Rng& rng) {
    world.goals[0] = static_cast<int32_t>(rng.Integers(0, config.N));
    for (Entity& landmark : world.landmarks()) landmark.color = {0.15, 0.15, 0.15};
    world.landmarks()[world.goals[0]].color = {0.15, 0.65, 0.15};
    world.Scatter(rng);
  }

  static void Reward(const Config&, const World& world, std::span<double> rewards) {
    const Point goal = world.goal().position;
    const double adversary = Distance(world.entities[0].position, goal);
    double nearest = kInf;
    for (const Entity& agent : world.agents().subspan(1)) {
      nearest = std::min(nearest, Distance(agent.position, goal));
    }
    std::ranges::fill(rewards, -nearest + adversary);
    rewards[0] = -adversary;
  }

  static void Observe(const Config& config, const World& world, int self, Row& row) {
    const Entity& agent = world.entities[self];
    if (self > 0) row.Add(world.goal().position - agent.position);
    AddPositions(row, agent, Seen::Landmarks(world, self, config.num_landmark_neighbors));
    AddPositions(row, agent, Seen::Agents(world, self, config.num_agent_neighbors));
  }
};

}  // namespace parallel_pool::mpe
