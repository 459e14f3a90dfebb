// N agents cover N landmarks and do not collide.
#pragma once

#include <algorithm>
#include <string>

#include "parallel_pool/envs/mpe/game.h"
#include "parallel_pool/envs/mpe/neighbors.h"

namespace parallel_pool::mpe {

struct SimpleSpread {
  struct Config : GameConfig, Sight {
    int N = 3;  // NOLINT: the reference's name
    double local_ratio = 0.5;
    bool curriculum = false, terminate_on_success = false;
    int curriculum_stage = 0;
  };
  static Options<Config> Describe() {
    return DescribeGame<Config>(
        {Option<&Config::N>("N", "agents, and landmarks", {.min = 1, .max = kMostOfAKind}),
         Option<&Config::local_ratio>("local_ratio",
                                      "share of an agent's own reward, next to that of all",
                                      {.min = 0, .max = 1}),
         Option<&Config::curriculum>("curriculum", "collisions cost nothing in stage 0"),
         Option<&Config::curriculum_stage>("curriculum_stage", "stage of the curriculum, 0 or 1",
                                           {.min = 0, .max = 1}),
         Option<&Config::terminate_on_success>("terminate_on_success",
                                               "an episode ends when all landmarks are covered"),
         NeighborOption<&Config::num_agent_neighbors>("num_agent_neighbors", "agents"),
         NeighborOption<&Config::num_landmark_neighbors>("num_landmark_neighbors", "landmarks")});
  }

  static constexpr double kCaptureRadius = 0.1;
  static constexpr int kWordSize = 2;  // words that no agent says, but all observe

  static World Build(const Config& config) {
    World world;
    for (int i = 0; i < config.N; ++i) {
      world.AddAgent(
          {"agent_" + std::to_string(i), "agent"},
          {.color = {0.35, 0.35, 0.85}, .radius = 0.15, .is_movable = true, .collides = true});
    }
    world.AddLandmarks(config.N, {});
    return world;
  }

  static void Begin(const Config&, World& world, Rng& rng) { world.Scatter(rng); }

  static void Reward(const Config& config, const World& world, std::span<double> rewards) {
    double global = 0;
    for (const Entity& landmark : world.landmarks()) global -= NearestAgent(world, landmark);
    std::ranges::fill(rewards, 0.0);
    if (!config.curriculum || config.curriculum_stage > 0) CountCollisions(world, rewards);
    for (double& reward : rewards) {
      reward = global * (1 - config.local_ratio) + reward * config.local_ratio;
    }
  }

  static bool IsSolved(const Config& config, const World& world) {
    return config.terminate_on_success &&
           std::ranges::all_of(world.landmarks(), [&](const Entity& landmark) {
             return NearestAgent(world, landmark) < kCaptureRadius;
           });
  }

  static void Observe(const Config& config, const World& world, int self, Row& row) {
    const Entity& agent = world.entities[self];
    row.Add(agent.velocity);
    row.Add(agent.position);
    AddPositions(row, agent, Seen::Landmarks(world, self, config.num_landmark_neighbors));
    const Seen others = Seen::Agents(world, self, config.num_agent_neighbors);
    AddPositions(row, agent, others);
    for ([[maybe_unused]] const Entity* other : others) {
      for (int k = 0; k < kWordSize; ++k) row.Add(0.0);
    }
  }

 private:
  static double NearestAgent(const World& world, const Entity& landmark) {
    double nearest = kInf;
    for (const Entity& agent : world.agents()) {
      nearest = std::min(nearest, Distance(agent.position, landmark.position));
    }
    return nearest;
  }

  // Each of two agents that touch loses 1.
  static void CountCollisions(const World& world, std::span<double> rewards) {
    const auto agents = world.agents();
    for (size_t a = 0; a < agents.size(); ++a) {
      for (size_t b = a + 1; b < agents.size(); ++b) {
        if (!Touches(agents[a], agents[b])) continue;
        rewards[a] -= 1;
        rewards[b] -= 1;
      }
    }
  }
};

}  // namespace parallel_pool::mpe
