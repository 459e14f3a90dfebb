#include "parallel_pool/envs/atari/players/controls.h"

#include <algorithm>

namespace parallel_pool::atari {
namespace {

using ale::stella::Event;

// Resistances in ohms.
constexpr int kLeast = 27450, kMost = 790196, kTurn = 23000;

// The parts of an action, as bits.
enum : uint8_t { kFires = 1, kUp = 2, kRight = 4, kLeft = 8, kDown = 16 };
constexpr uint8_t kParts[] = {
    0,
    kFires,
    kUp,
    kRight,
    kLeft,
    kDown,
    kUp | kRight,
    kUp | kLeft,
    kDown | kRight,
    kDown | kLeft,
    kUp | kFires,
    kRight | kFires,
    kLeft | kFires,
    kDown | kFires,
    kUp | kRight | kFires,
    kUp | kLeft | kFires,
    kDown | kRight | kFires,
    kDown | kLeft | kFires,
};

// In the order of the bits.
constexpr Event::Type kStick[2][5] = {
    {Event::JoystickZeroFire, Event::JoystickZeroUp, Event::JoystickZeroRight,
     Event::JoystickZeroLeft, Event::JoystickZeroDown},
    {Event::JoystickOneFire, Event::JoystickOneUp, Event::JoystickOneRight, Event::JoystickOneLeft,
     Event::JoystickOneDown}};
constexpr Event::Type kButton[kMostPlayers] = {Event::PaddleZeroFire, Event::PaddleOneFire,
                                               Event::PaddleTwoFire, Event::PaddleThreeFire};
constexpr Event::Type kPaddle[kMostPlayers] = {
    Event::PaddleZeroResistance, Event::PaddleOneResistance, Event::PaddleTwoResistance,
    Event::PaddleThreeResistance};

}  // namespace

void Controls::Center(Event& event) {
  for (int p = 0; p < kMostPlayers; ++p) {
    paddles[p] = (kLeast + kMost) / 2;
    event.set(kPaddle[p], paddles[p]);
  }
}

void Controls::Release(Event& event) {
  for (const auto& stick : kStick) {
    for (const Event::Type part : stick) event.set(part, 0);
  }
  for (const Event::Type button : kButton) event.set(button, 0);
  event.set(Event::ConsoleReset, 0);
  event.set(Event::ConsoleSelect, 0);
  // Both difficulty switches are always at B.
  event.set(Event::ConsoleLeftDifficultyA, 0);
  event.set(Event::ConsoleLeftDifficultyB, 1);
  event.set(Event::ConsoleRightDifficultyA, 0);
  event.set(Event::ConsoleRightDifficultyB, 1);
}

void Controls::MoveSticks(std::span<const int> actions, Event& event) {
  Release(event);
  for (size_t p = 0; p < std::min<size_t>(actions.size(), 2); ++p) {
    if (actions[p] == kReset) {
      event.set(Event::ConsoleReset, 1);
      continue;
    }
    for (int part = 0; part < 5; ++part) {
      if ((kParts[actions[p]] >> part & 1) != 0) event.set(kStick[p][part], 1);
    }
  }
}

void Controls::TurnPaddles(std::span<const int> actions, Event& event) {
  Release(event);
  for (size_t p = 0; p < actions.size(); ++p) {
    if (actions[p] == kReset) event.set(Event::ConsoleReset, 1);
    const uint8_t parts = actions[p] == kReset ? 0 : kParts[actions[p]];
    if ((parts & kRight) != 0) {
      paddles[p] = std::max(paddles[p] - kTurn, kLeast);
    } else if ((parts & kLeft) != 0) {
      paddles[p] = std::min(paddles[p] + kTurn, kMost);
    }
    event.set(kPaddle[p], paddles[p]);
    if ((parts & kFires) != 0) event.set(kButton[p], 1);
  }
}

}  // namespace parallel_pool::atari
