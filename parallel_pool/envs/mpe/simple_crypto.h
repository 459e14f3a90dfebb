// Alice tells Bob the color of the goal, in words that Eve hears, too. Alice and Bob have a key.
#pragma once

#include <algorithm>

#include "parallel_pool/envs/mpe/game.h"

namespace parallel_pool::mpe {

struct SimpleCrypto {
  struct Config : GameConfig {};
  static Options<Config> Describe() { return DescribeGame<Config>({}); }

  enum { kEve, kBob, kAlice };  // agents
  enum { kGoal, kKey };         // of World::goals: 0 or 1
  static constexpr int kWordSize = 4;

  static World Build(const Config&) {
    World world;
    world.word_size = kWordSize;
    for (const char* role : {"eve", "bob", "alice"}) {
      world.AddAgent({std::string(role) + "_0", role}, {.speaks = true});
    }
    world.entities[kEve].color = {0.75, 0.25, 0.25};
    world.AddLandmarks(2, {});
    for (int i = 0; i < 2; ++i) world.landmarks()[i].color = {i == 0 ? 1.0 : 0.0, i * 1.0, 0};
    return world;
  }

  static void Begin(const Config&, World& world, Rng& rng) {
    for (int32_t& goal : world.goals) goal = static_cast<int32_t>(rng.Integers(0, 2));
    world.entities[kBob].color = world.goal(kGoal).color;
    world.Scatter(rng);
  }

  static void Reward(const Config&, const World& world, std::span<double> rewards) {
    const double eve = Error(world, kEve), bob = Error(world, kBob);
    rewards[kEve] = -eve;
    rewards[kBob] = rewards[kAlice] = eve - bob;
  }

  static void Observe(const Config&, const World& world, int self, Row& row) {
    if (self == kAlice) AddColor(row, world.goals[kGoal]);
    if (self != kEve) AddColor(row, world.goals[kKey]);
    if (self != kAlice) row.Add(world.word(kAlice));
  }

 private:
  // The squared distance of an agent's word to the goal's color; 0 if it is silent.
  static double Error(const World& world, int agent) {
    const auto word = world.word(agent);
    if (std::ranges::all_of(word, [](double number) { return number == 0; })) return 0;
    double sum = 0;
    for (int k = 0; k < kWordSize; ++k) {
      const double difference = word[k] - (k == world.goals[kGoal] ? 1.0 : 0.0);
      sum += difference * difference;
    }
    return sum;
  }

  // A color has as many numbers as a word: 1 at the landmark's number.
  static void AddColor(Row& row, int landmark) {
    for (int k = 0; k < kWordSize; ++k) row.Add(k == landmark ? 1.0 : 0.0);
  }
};

}  // namespace parallel_pool::mpe
