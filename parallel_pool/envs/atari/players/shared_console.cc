#include "parallel_pool/envs/atari/players/shared_console.h"

#include <algorithm>
#include <stdexcept>

#include "ale/emucore/Console.hxx"
#include "ale/emucore/Props.hxx"
#include "parallel_pool/envs/atari/emulator_parts.h"
#include "parallel_pool/envs/atari/players/shared_console_parts.h"
#include "parallel_pool/envs/atari/rom.h"
#include "parallel_pool/envs/atari/shrink.h"

namespace parallel_pool::atari {
namespace {

constexpr int kDown = 5, kRight = 3, kLeft = 4;  // ALE's numbers of actions
constexpr int kMostPresses = 256;                // of SELECT: a game has at most 112 modes
constexpr int kMostMoves = 1000;                 // in a menu, in frames

[[noreturn]] void ThrowNoMode(const GameRules& rules, int mode) {
  throw std::runtime_error(std::string(rules.rom) + " does not reach mode " + std::to_string(mode));
}

}  // namespace

SharedConsole::SharedConsole(const GameRules& rules, const SharedConsoleOptions& options,
                             uint32_t seed)
    : rules_(rules),
      options_(options),
      emulator_((SilenceAle(), std::make_unique<Emulator>(SharedRomPath(rules), seed))) {
  held_.resize(static_cast<size_t>(screen_height()) * kScreenWidth);
  Reset(rules.first_mode);
}

SharedConsole::~SharedConsole() = default;

double SharedConsole::Draw() {
  return emulator_->system().rng().nextDouble();
}

void SharedConsole::Reset(int mode) {
  mode_ = mode;
  controls_.Center(*emulator_->os.event());
  emulator_->system().reset();
  Play({kNoop, kNoop}, 60);
  PressReset();
  tally_ = {};
  std::fill_n(tally_.lives.begin(), 2, rules_.first_lives);
  ChooseMode(mode);
  PressReset();
  for (const int action : rules_.beginning) Play({action, kNoop});
  Play({kNoop, kNoop});
  for (const int action : rules_.beginning) Play({kNoop, action});
  Play({kNoop, kNoop});
}

void SharedConsole::PressReset() {
  Play({kReset, kNoop}, 4);
  actions_ = {};
}

void SharedConsole::ChooseMode(int mode) {
  if (rules_.is_in_mode == nullptr) return ChooseInMenu(mode);
  for (int i = 0; !rules_.is_in_mode(Ram(ram()), mode); ++i) {
    if (i == kMostPresses) ThrowNoMode(rules_, mode);
    PressSelect();
  }
  PressReset();
}

void SharedConsole::PressSelect() {
  ale::stella::Event& event = *emulator_->os.event();
  Controls::Release(event);
  event.set(ale::stella::Event::ConsoleSelect, 1);
  for (int i = 0; i < rules_.select_frames; ++i) emulator_->EmulateFrame();
  Play({kNoop, kNoop});
}

// Double Dunk's menu. The first player's stick turns the options on and off, from top to bottom.
void SharedConsole::ChooseInMenu(int mode) {
  int moves = 0;
  const auto move = [&](int action) {
    if (moves++ == kMostMoves) ThrowNoMode(rules_, mode);
    ActAlone(action);
    ActAlone(kNoop);
  };
  const auto set = [&](int bit, bool on) {
    while (((Ram(ram())[0x80] & bit) != 0) != on) move(on ? kRight : kLeft);
  };
  const auto go_down = [&] {
    const int line = Ram(ram())[0xb0];
    while (Ram(ram())[0xb0] == line) move(kDown);
  };
  PressSelect();
  set(0x40, (mode & 16) != 0);  // two players
  go_down();
  go_down();
  set(0x08, (mode & 1) != 0);
  go_down();
  set(0x10, (mode & 2) != 0);
  go_down();
  set(0x04, (mode & 4) != 0);
  go_down();
  set(0x20, (mode & 8) != 0);
  PressReset();
}

// A frame of the menu is one of Act, with its random numbers, unless the game is over.
void SharedConsole::ActAlone(int action) {
  Draw();
  Draw();
  if (tally_.over) return;
  actions_ = {action};
  Play(actions_);
}

void SharedConsole::Act(std::span<const int> actions) {
  for (size_t p = 0; p < actions.size(); ++p) {
    if (Draw() >= options_.repeat_action_probability) actions_[p] = actions[p];
  }
  if (!tally_.over) Play(actions_);
}

void SharedConsole::Play(std::span<const int> actions, int frames) {
  ale::stella::Event& event = *emulator_->os.event();
  if (!emulator_->has_paddles) Controls::MoveSticks(actions, event);
  for (int i = 0; i < frames; ++i) {
    if (emulator_->has_paddles) controls_.TurnPaddles(actions, event);
    emulator_->EmulateFrame();
    rules_.read(Ram(ram()), mode_, tally_);
  }
}

const uint8_t* SharedConsole::ram() const {
  return emulator_->ram;
}

Palette SharedConsole::palette() const {
  return PaletteOf(emulator_->os.colourPalette());
}

int SharedConsole::screen_height() const {
  return static_cast<int>(emulator_->tia->height());
}

const uint8_t* SharedConsole::screen() const {
  return emulator_->tia->currentFrameBuffer();
}

const uint8_t* SharedConsole::HoldScreen() {
  return atari::HoldScreen(*emulator_->tia, held_);
}

}  // namespace parallel_pool::atari
