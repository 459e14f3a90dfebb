// A speaker knows to which of three landmarks a listener has to go.
#pragma once

#include <algorithm>

#include "parallel_pool/envs/mpe/game.h"

namespace parallel_pool::mpe {

struct SimpleSpeakerListener {
  struct Config : GameConfig {};
  static Options<Config> Describe() { return DescribeGame<Config>({}); }

  enum { kSpeaker, kListener };

  static World Build(const Config&) {
    World world;
    world.word_size = 3;
    world.AddAgent({"speaker_0", "speaker"}, {.radius = 0.075, .speaks = true});
    world.AddAgent({"listener_0", "listener"}, {.radius = 0.075, .is_movable = true});
    world.AddLandmarks(3, {.color = {0.15, 0.15, 0.15}, .radius = 0.04});
    for (int i = 0; i < 3; ++i) world.landmarks()[i].color[i] = 0.65;
    return world;
  }

  static void Begin(const Config&, World& world, Rng& rng) {
    world.goals[0] = static_cast<int32_t>(rng.Integers(0, 3));
    Color& color = world.entities[kListener].color;
    color = world.goal().color;
    for (double& share : color) share += 0.45;
    world.Scatter(rng);
  }

  static void Reward(const Config&, const World& world, std::span<double> rewards) {
    const Point listener = world.entities[kListener].position;
    std::ranges::fill(rewards, -SquaredDistance(listener, world.goal().position));
  }

  static void Observe(const Config&, const World& world, int self, Row& row) {
    if (self == kSpeaker) return row.Add(world.goal().color);
    const Entity& agent = world.entities[self];
    row.Add(agent.velocity);
    for (const Entity& landmark : world.landmarks()) row.Add(landmark.position - agent.position);
    row.Add(world.word(kSpeaker));
  }
};

}  // namespace parallel_pool::mpe
