// Walk to the goal through four rooms with openings between them (Sutton, Precup & Singh 1999).
#pragma once

#include <stdexcept>
#include <string>

#include "parallel_pool/envs/minigrid/options.h"

namespace parallel_pool::minigrid {

class FourRooms : public World {
 public:
  struct Config : LevelConfig { Numbers<2> agent_pos = {-1, -1}, goal_pos = {-1, -1}; };
  static Options<Config> Describe() {
    return DescribeLevel<Config>(
        {Option<&Config::agent_pos>("agent_pos", "where the agent begins; (-1, -1): anywhere"),
         Option<&Config::goal_pos>("goal_pos", "where the goal is; (-1, -1): anywhere")});
  }
  static Rules RulesFor(const Config& c) {
    PointOf("agent_pos", c.agent_pos);
    PointOf("goal_pos", c.goal_pos);
    return RulesOf(c, kSize, kSize, 100);
  }

  FourRooms(const Config& config, Rng& rng)
      : World(RulesFor(config), rng),
        start_(PointOf("agent_pos", config.agent_pos)),
        goal_(PointOf("goal_pos", config.goal_pos)) {}

  void Generate() {
    Walls(whole());
    constexpr int kRoom = kSize / 2;  // from wall to wall
    for (int top = 0; top < 2 * kRoom; top += kRoom) {
      for (int left = 0; left < 2 * kRoom; left += kRoom) {
        const int right = left + kRoom, bottom = top + kRoom;
        if (left == 0) {
          VerticalLine({right, top}, kRoom);
          Set({right, RandInt(top + 1, bottom)}, kEmpty);
        }
        if (top == 0) {
          HorizontalLine({left, bottom}, kRoom);
          Set({RandInt(left + 1, right), bottom}, kEmpty);
        }
      }
    }
    if (start_ == kNowhere) {
      PlaceAgent();
    } else {
      Set(start_, kEmpty);
      SetAgent(start_, RandInt(0, 4));
    }
    Set(goal_ == kNowhere ? FreePlace(whole()) : goal_, kGoal);
    SetMission({"reach the goal"});
  }

 private:
  static constexpr int kSize = 19;

  static Point PointOf(const char* option, const Numbers<2>& xy) {
    const Point p = {static_cast<int>(xy[0]), static_cast<int>(xy[1])};
    const bool is_inside = p.x >= 1 && p.y >= 1 && p.x <= kSize - 2 && p.y <= kSize - 2;
    if (p.x == xy[0] && p.y == xy[1] && (is_inside || p == kNowhere)) return p;
    throw std::invalid_argument(std::string(option) + " is (" + std::to_string(xy[0]) + ", " +
                                std::to_string(xy[1]) + "); it must be two integers from 1 to " +
                                std::to_string(kSize - 2) + ", or (-1, -1) for any place");
  }

  const Point start_, goal_;
};

}  // namespace parallel_pool::minigrid
