// The joysticks and paddles of a console's players.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ale/emucore/Event.hxx"
#include "parallel_pool/envs/atari/players/rules.h"

namespace parallel_pool::atari {

inline constexpr int kReset = 40;  // ALE's number of the console's RESET switch

class Controls {
 public:
  // Turns all paddles to their middle.
  void Center(ale::stella::Event& event);
  // Lets go of all sticks, buttons and switches.
  static void Release(ale::stella::Event& event);
  // Does the action of each player, in ALE's numbers; only the first player's may be kReset.
  static void MoveSticks(std::span<const int> actions, ale::stella::Event& event);
  // The same with paddles, which turn with each frame.
  void TurnPaddles(std::span<const int> actions, ale::stella::Event& event);

  // How far each paddle is turned: its resistance in ohms. The state of the controls.
  std::array<int32_t, kMostPlayers> paddles{};
};

}  // namespace parallel_pool::atari
