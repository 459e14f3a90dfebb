// Walk to the goal without bumping into balls that move at random.
#pragma once

#include "parallel_pool/envs/minigrid/levels/start.h"

namespace parallel_pool::minigrid {

class DynamicObstacles : public World {
 public:
  static constexpr bool kSeesThroughWalls = true;
  static constexpr int kNumMoves = kForward + 1;
  struct Config : StartConfig { int32_t size = 8, n_obstacles = 4; };
  static Options<Config> Describe() {
    return DescribeStart<Config>(
        {Option<&Config::size>("size", "cells on a side", {.min = 4}),
         Option<&Config::n_obstacles>("n_obstacles",
                                      "balls; size / 2 if more than size / 2 + 1 are asked for",
                                      {.min = 0})});
  }
  static Rules RulesFor(const Config& c) {
    return CheckStart(c, RulesOf(c, c.size, c.size, 4 * c.size * c.size));
  }

  DynamicObstacles(const Config& config, Rng& rng)
      : World(RulesFor(config), rng),
        config_(config),
        num_balls_(config.n_obstacles <= config.size / 2.0 + 1 ? config.n_obstacles
                                                               : config.size / 2) {}

  void Generate() {
    Walls(whole());
    Set({width() - 2, height() - 2}, kGoal);
    PlaceAtStart(config_, *this);
    for (int i = 0; i < num_balls_; ++i) Place(New(Kind::kBall, Color::kBlue), whole(), kBallTries);
    SetMission({"get to the green goal square"});
  }

  // The balls move first. The agent bumps into the object that was ahead before that.
  Outcome Act(int move) {
    const Cell ahead = At(front());
    const bool is_blocked = !ahead.is_empty() && ahead.kind() != Kind::kGoal;
    for (int i = 0; i < num_balls_; ++i) MoveBall(i);
    const Outcome outcome = World::Act(move);
    if (move == kForward && is_blocked) return {.reward = -1.0, .terminated = true};
    return outcome;
  }

 private:
  static constexpr int kBallTries = 100;

  // Ball i is the object with id i + 1. It goes to a free cell next to it, if it finds one.
  void MoveBall(int i) {
    const Cell ball = {LookOf(Kind::kBall, Color::kBlue), static_cast<uint8_t>(i + 1)};
    const Point from = PlaceOf(ball);
    const std::optional<Point> to =
        FindPlace({from - Point{1, 1}, 3, 3}, kBallTries, [](Point) { return false; });
    if (!to) return;
    Put(ball, *to);
    Set(from, kEmpty);
  }

  const Config config_;
  const int num_balls_;
};

}  // namespace parallel_pool::minigrid
