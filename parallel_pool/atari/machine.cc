#include "parallel_pool/atari/machine.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <stdexcept>

#include "ale/emucore/Console.hxx"
#include "parallel_pool/atari/emulator.h"
#include "parallel_pool/atari/shrink.h"

namespace parallel_pool::atari {

namespace {

// ALE's log level is a global variable: it is written once, before any emulator reads it.
void Silence() {
  static std::once_flag once;
  std::call_once(once, [] { ale::Logger::setMode(ale::Logger::Error); });
}

// ALE ends the process if it cannot open the file.
void CheckReadable(const std::string& path) {
  std::error_code error;
  if (std::filesystem::file_size(path, error) == 0 || error) {
    throw std::runtime_error("the ROM " + path + " is gone");
  }
}

}  // namespace

Machine::Machine(const Rom& rom, const MachineOptions& options)
    : emulator_((Silence(), std::make_unique<Emulator>())) {
  CheckReadable(rom.path);
  ale::ALEInterface& ale = emulator_->ale;
  ale.setFloat("repeat_action_probability", static_cast<float>(options.repeat_action_probability));
  // Some games draw random numbers while they are loaded, so this comes before.
  ale.setInt("random_seed", options.seed);
  ale.setBool("sound_obs", options.sound);
  ale.loadROM(rom.path);
  if (options.mode >= 0) ale.setMode(options.mode);
  if (options.difficulty >= 0) ale.setDifficulty(options.difficulty);
  emulator_->tia = static_cast<ale::stella::TIA*>(&ale.theOSystem->console().mediaSource());
  held_.resize(static_cast<size_t>(screen_height()) * kScreenWidth);
}

Machine::~Machine() = default;

void Machine::Reset() {
  emulator_->ale.reset_game();
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
  ale::ColourPalette& colours = emulator_->ale.theOSystem->colourPalette();
  Palette palette{};
  for (int i = 0; i < 256; ++i) {
    const uint32_t rgb = colours.getRGB(i);
    for (int k = 0; k < 3; ++k) palette.rgb[k][i] = static_cast<uint8_t>(rgb >> (16 - 8 * k));
    // ALE keeps the gray value of a colour in the entry behind it. The last has none.
    uint8_t index = static_cast<uint8_t>(i);
    if (i < 255) colours.applyPaletteGrayscale(&palette.gray[i], &index, 1);
  }
  return palette;
}

int Machine::screen_height() const {
  return static_cast<int>(emulator_->ale.getScreen().height());
}

const uint8_t* Machine::screen() const {
  return emulator_->tia->currentFrameBuffer();
}

// The video chip draws frames into two buffers in turn, so that a frame outlives the next one;
// only a frame that the program did not end (it was busy for too long) is gone on with in place.
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
