#include "parallel_pool/envs/atari/machine.h"

#include <map>
#include <mutex>

#include "ale/emucore/Console.hxx"
#include "parallel_pool/envs/atari/emulator_parts.h"
#include "parallel_pool/envs/atari/machine_parts.h"
#include "parallel_pool/envs/atari/shrink.h"

namespace parallel_pool::atari {

Machine::~Machine() = default;

void Machine::Reset() {
  if (!at_start_) emulator_->ale.reset_game();
  at_start_ = false;
}

int Machine::Act(int action, float strength) {
  return emulator_->ale.act(static_cast<ale::Action>(action), strength);
}

bool Machine::game_over() const {
  return emulator_->ale.game_over();
}

int Machine::lives() const {
  return emulator_->ale.lives();
}

const uint8_t* Machine::ram() const {
  return emulator_->ale.getRAM().array();
}

const uint8_t* Machine::sound() const {
  return emulator_->ale.getAudio().data();
}

Palette Machine::palette() const {
  return PaletteOf(emulator_->ale.theOSystem->colourPalette());
}

int Machine::screen_height() const {
  return static_cast<int>(emulator_->ale.getScreen().height());
}

const uint8_t* Machine::screen() const {
  return emulator_->tia->currentFrameBuffer();
}

const uint8_t* Machine::HoldScreen() {
  return atari::HoldScreen(*emulator_->tia, held_);
}

int ScreenHeight(const Rom& rom) {
  static std::mutex mutex;
  static auto& heights = *new std::map<std::string, int>();  // by the ROM's path
  const std::lock_guard lock(mutex);
  auto found = heights.find(rom.path);
  if (found == heights.end()) {
    found = heights.emplace(rom.path, Machine(rom, {}).screen_height()).first;
  }
  return found->second;
}

}  // namespace parallel_pool::atari
