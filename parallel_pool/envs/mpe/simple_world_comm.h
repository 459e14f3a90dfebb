// SimpleTag with food for the prey, forests to hide in, and a leader that sees through them and
// speaks to the other adversaries.
#pragma once

#include <algorithm>
#include <string>

#include "parallel_pool/envs/mpe/chase.h"
#include "parallel_pool/envs/mpe/game.h"
#include "parallel_pool/envs/mpe/neighbors.h"

namespace parallel_pool::mpe {

struct SimpleWorldComm {
  struct Config : GameConfig {
    int num_good = 2, num_adversaries = 4, num_obstacles = 1, num_food = 2, num_forests = 2;
  };
  static Options<Config> Describe() {
    constexpr Range kCount = {.min = 1, .max = kMostOfAKind},
                    kOrNone = {.min = 0, .max = kMostOfAKind};
    return DescribeGame<Config>(
        {Option<&Config::num_good>("num_good", "prey", kCount),
         Option<&Config::num_adversaries>("num_adversaries", "adversaries; the first leads",
                                          kCount),
         Option<&Config::num_obstacles>("num_obstacles", "obstacles", kOrNone),
         Option<&Config::num_food>("num_food", "places with food", kCount),
         Option<&Config::num_forests>("num_forests", "forests", kOrNone)});
  }

  static constexpr int kLeader = 0;

  static World Build(const Config& config) {
    World world;
    world.word_size = 4;
    for (int i = 0; i < config.num_adversaries; ++i) {
      const std::string role = i == kLeader ? "leadadversary" : "adversary";
      world.AddAgent({role + "_" + std::to_string(std::max(i - 1, 0)), role},
                     {.color = {0.95, 0.45, 0.45},
                      .radius = 0.075,
                      .acceleration = 3.0,
                      .max_speed = 1.0,
                      .is_movable = true,
                      .collides = true});
    }
    world.entities[kLeader].speaks = true;
    for (double& share : world.entities[kLeader].color) share -= 0.3;
    for (int i = 0; i < config.num_good; ++i) {
      world.AddAgent({"agent_" + std::to_string(i), "agent"}, {.color = {0.45, 0.95, 0.45},
                                                               .radius = 0.045,
                                                               .acceleration = 4.0,
                                                               .max_speed = 1.3,
                                                               .is_movable = true,
                                                               .collides = true});
    }
    world.AddLandmarks(config.num_obstacles, {.radius = 0.2, .collides = true});
    world.AddLandmarks(config.num_food, {.color = {0.15, 0.15, 0.65}, .radius = 0.03});
    world.AddLandmarks(config.num_forests, {.color = {0.6, 0.9, 0.6}, .radius = 0.3});
    return world;
  }

  static void Begin(const Config& config, World& world, Rng& rng) {
    world.Scatter(rng, kFieldSize);
    // The reference draws the places of food and forests twice.
    for (Entity& landmark : world.landmarks().subspan(config.num_obstacles)) {
      landmark.position = DrawPoint(rng, kFieldSize);
    }
  }

  static void Reward(const Config& config, const World& world, std::span<double> rewards) {
    const auto adversaries = Adversaries(config, world), prey = Prey(config, world);
    const int touches = CountTouches(adversaries, prey);
    for (size_t i = 0; i < adversaries.size(); ++i) {
      rewards[i] = -0.1 * DistanceToNearest(prey, adversaries[i]);
      for (int k = 0; k < touches; ++k) rewards[i] += 5;  // one by one: each sum is rounded
    }
    const auto food = Food(config, world);
    for (size_t i = 0; i < prey.size(); ++i) {
      double reward = -5.0 * CountTouches(adversaries, prey[i]);
      reward -= 2 * OutsideOf(prey[i].position.x);
      reward -= 2 * OutsideOf(prey[i].position.y);
      for (const Entity& place : food) reward += Touches(prey[i], place) ? 2 : 0;
      rewards[adversaries.size() + i] = reward - 0.05 * DistanceToNearest(food, prey[i]);
    }
  }

  static void Observe(const Config& config, const World& world, int self, Row& row) {
    const Entity& agent = world.entities[self];
    const bool is_prey = self >= config.num_adversaries;
    row.Add(agent.velocity);
    row.Add(agent.position);
    for (const Entity& landmark : world.landmarks()) row.Add(landmark.position - agent.position);
    const auto others = world.agents();
    for (int i = 0; i < world.num_agents(); ++i) {
      if (i == self) continue;
      row.Add(IsVisible(config, world, self, i) ? others[i].position - agent.position : Point{});
    }
    if (is_prey) AddForests(config, world, agent, row);
    for (int i = config.num_adversaries; i < world.num_agents(); ++i) {
      if (i == self) continue;
      row.Add(IsVisible(config, world, self, i) ? others[i].velocity : Point{});
    }
    if (is_prey) return;
    AddForests(config, world, agent, row);
    row.Add(world.word(kLeader));
  }

 private:
  static constexpr double kFieldSize = 0.9;

  static std::span<const Entity> Adversaries(const Config& config, const World& world) {
    return world.agents().first(config.num_adversaries);
  }
  static std::span<const Entity> Prey(const Config& config, const World& world) {
    return world.agents().subspan(config.num_adversaries);
  }
  static std::span<const Entity> Food(const Config& config, const World& world) {
    return world.landmarks().subspan(config.num_obstacles, config.num_food);
  }
  static std::span<const Entity> Forests(const Config& config, const World& world) {
    return world.landmarks().last(config.num_forests);
  }

  static double DistanceToNearest(std::span<const Entity> some, const Entity& agent) {
    double nearest = kInf;
    for (const Entity& other : some) {
      nearest = std::min(nearest, Distance(other.position, agent.position));
    }
    return nearest;
  }

  // Agents see each other outside of forests and inside of the same one; the leader sees all.
  static bool IsVisible(const Config& config, const World& world, int self, int other) {
    if (self == kLeader) return true;
    bool any = false;
    for (const Entity& forest : Forests(config, world)) {
      const bool has_self = Touches(world.entities[self], forest);
      const bool has_other = Touches(world.entities[other], forest);
      if (has_self && has_other) return true;
      any |= has_self || has_other;
    }
    return !any;
  }

  // 1 for each forest that the agent is in, -1 for each other.
  static void AddForests(const Config& config, const World& world, const Entity& agent, Row& row) {
    for (const Entity& forest : Forests(config, world)) row.Add(Touches(agent, forest) ? 1 : -1);
  }
};

}  // namespace parallel_pool::mpe
