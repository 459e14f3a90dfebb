#include "parallel_pool/envs/atari/machine.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "ale/emucore/Console.hxx"
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
  ale::ColourPalette& colors = emulator_->ale.theOSystem->colourPalette();
  Palette palette{};
  for (int i = 0; i < 256; ++i) {
    const uint32_t rgb = colors.getRGB(i);
    for (int k = 0; k < 3; ++k) palette.rgb[k][i] = static_cast<uint8_t>(rgb >> (16 - 8 * k));
    // ALE stores the gray value of a color in the next entry. The last color has none.
    uint8_t index = static_cast<uint8_t>(i);
    if (i < 255) colors.applyPaletteGrayscale(&palette.gray[i], &index, 1);
  }
  return palette;
}

int Machine::screen_height() const {
  return static_cast<int>(emulator_->ale.getScreen().height());
}

const uint8_t* Machine::screen() const {
  return emulator_->tia->currentFrameBuffer();
}

// The video chip draws frames into two buffers in turn, so that a frame stays valid during the next
// one. Only a frame that the program did not end (it was busy for too long) is continued in place,
// and so must be copied.
const uint8_t* Machine::HoldScreen() {
  if (!emulator_->tia->frameUnfinished()) return screen();
  std::copy_n(screen(), held_.size(), held_.begin());
  return held_.data();
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
