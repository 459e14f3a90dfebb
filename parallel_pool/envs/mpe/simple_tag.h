// Slow adversaries chase fast prey around obstacles.
#pragma once

#include <algorithm>
#include <string>

#include "parallel_pool/envs/mpe/chase.h"
#include "parallel_pool/envs/mpe/game.h"
#include "parallel_pool/envs/mpe/neighbors.h"

namespace parallel_pool::mpe {

struct SimpleTag {
  struct Config : GameConfig, Sight {
    int num_good = 1, num_adversaries = 3, num_obstacles = 2;
    bool curriculum = false, terminate_on_success = false;
    int curriculum_stage = 0;
  };
  static Options<Config> Describe() {
    return DescribeGame<Config>(
        {Option<&Config::num_good>("num_good", "prey", {.min = 1, .max = kMostOfAKind}),
         Option<&Config::num_adversaries>("num_adversaries", "adversaries",
                                          {.min = 1, .max = kMostOfAKind}),
         Option<&Config::num_obstacles>("num_obstacles", "obstacles",
                                        {.min = 0, .max = kMostOfAKind}),
         Option<&Config::curriculum>("curriculum", "the prey is slower in stages 0 and 1"),
         Option<&Config::curriculum_stage>("curriculum_stage", "stage of the curriculum, 0 to 2",
                                           {.min = 0, .max = 2}),
         Option<&Config::terminate_on_success>("terminate_on_success",
                                               "an episode ends when all prey is caught"),
         NeighborOption<&Config::num_agent_neighbors>("num_agent_neighbors", "agents"),
         NeighborOption<&Config::num_landmark_neighbors>("num_landmark_neighbors", "landmarks")});
  }

  static constexpr double kPreySpeeds[] = {0.5, 0.75, 1.0};  // of stages of the curriculum

  static World Build(const Config& config) {
    World world;
    for (int i = 0; i < config.num_adversaries; ++i) {
      world.AddAgent({"adversary_" + std::to_string(i), "adversary"}, {.color = {0.85, 0.35, 0.35},
                                                                       .radius = 0.075,
                                                                       .acceleration = 3.0,
                                                                       .max_speed = 1.0,
                                                                       .is_movable = true,
                                                                       .collides = true});
    }
    const double speed = config.curriculum ? kPreySpeeds[config.curriculum_stage] : 1.0;
    for (int i = 0; i < config.num_good; ++i) {
      world.AddAgent({"agent_" + std::to_string(i), "agent"}, {.color = {0.35, 0.85, 0.35},
                                                               .radius = 0.05,
                                                               .acceleration = 4.0 * speed,
                                                               .max_speed = 1.3 * speed,
                                                               .is_movable = true,
                                                               .collides = true});
    }
    world.AddLandmarks(config.num_obstacles, {.radius = 0.2, .collides = true});
    return world;
  }

  static void Begin(const Config&, World& world, Rng& rng) { world.Scatter(rng, 0.9); }

  static void Reward(const Config& config, const World& world, std::span<double> rewards) {
    const auto adversaries = world.agents().first(config.num_adversaries);
    const auto prey = world.agents().subspan(config.num_adversaries);
    double caught = 0;
    for (size_t i = 0; i < prey.size(); ++i) {
      const double penalty = 10.0 * CountTouches(adversaries, prey[i]);
      caught += penalty;
      rewards[adversaries.size() + i] =
          0 - penalty - OutsideOf(prey[i].position.x) - OutsideOf(prey[i].position.y);
    }
    std::ranges::fill(rewards.first(adversaries.size()), caught);
  }

  static bool IsSolved(const Config& config, const World& world) {
    const auto adversaries = world.agents().first(config.num_adversaries);
    return config.terminate_on_success &&
           std::ranges::all_of(
               world.agents().subspan(config.num_adversaries),
               [&](const Entity& prey) { return CountTouches(adversaries, prey) > 0; });
  }

  static void Observe(const Config& config, const World& world, int self, Row& row) {
    const Entity& agent = world.entities[self];
    row.Add(agent.velocity);
    row.Add(agent.position);
    AddPositions(row, agent, Seen::Landmarks(world, self, config.num_landmark_neighbors));
    const Seen others = Seen::Agents(world, self, config.num_agent_neighbors);
    AddPositions(row, agent, others);
    // The velocities of prey. Among neighbors, an adversary has zeros in its place.
    const Entity* const first_prey = &world.entities[config.num_adversaries];
    for (const Entity* other : others) {
      const bool is_prey = other != nullptr && other >= first_prey;
      if (is_prey || config.num_agent_neighbors > 0) row.Add(is_prey ? other->velocity : Point{});
    }
  }
};

}  // namespace parallel_pool::mpe
