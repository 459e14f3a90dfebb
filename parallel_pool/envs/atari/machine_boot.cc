// Starts a machine, up to the first frame of its first episode.
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "ale/emucore/Console.hxx"
#include "ale/emucore/Random.hxx"
#include "ale/emucore/Serializer.hxx"
#include "ale/emucore/Settings.hxx"
#include "ale/games/Roms.hpp"
#include "parallel_pool/core/byte_string.h"
#include "parallel_pool/envs/atari/ale_members.h"
#include "parallel_pool/envs/atari/emulator_parts.h"
#include "parallel_pool/envs/atari/machine.h"
#include "parallel_pool/envs/atari/machine_parts.h"
#include "parallel_pool/envs/atari/shrink.h"

namespace parallel_pool::atari {

struct Setting { friend auto MembersOf(Setting); };
template struct Expose<Setting, &ale::stella::Settings::setExternal>;

namespace {

// A game's first machine emulates all frames before its first episode; later machines begin with
// its state.
struct Boot {
  std::once_flag once;
  bool depends_on_seed = false;  // then each machine has to emulate these frames
  std::string format;            // format of the television: NTSC or PAL
  std::string state;             // the bytes of Machine::Save
};

Boot& BootOf(const Rom& rom, const MachineOptions& options) {
  static std::mutex mutex;
  static auto& boots = *new std::map<std::tuple<std::string, int, int, bool>, Boot>();
  const std::lock_guard lock(mutex);
  return boots[{rom.path, options.mode, options.difficulty, options.sound}];
}

// ALE's loadROM without emulating any frames, which loadROM does to find the television's format.
void Insert(ale::ALEInterface& ale, const Rom& rom, const std::string& format) {
  const auto [set] = MembersOf(Setting{});
  (ale.theOSystem->settings().*set)("format", format, -1, false);
  ale::ALEInterface::loadSettings(rom.path, ale.theOSystem);
  ale.romSettings.reset(ale::buildRomRLWrapper(rom.path, ""));
  ale.romSettings->modifyEnvironmentSettings(ale.theOSystem->settings());
  ale.environment =
      std::make_unique<ale::StellaEnvironment>(ale.theOSystem.get(), ale.romSettings.get());
  ale.max_num_frames = ale.theOSystem->settings().getInt("max_num_frames_per_episode");
}

std::string StateOf(ale::stella::Random& random) {
  ale::stella::Serializer serializer;
  random.saveState(serializer);
  return serializer.get_str();
}

}  // namespace

Machine::Machine(const Rom& rom, const MachineOptions& options)
    : emulator_((SilenceAle(), std::make_unique<Emulator>())) {
  CheckReadable(rom.path);
  ale::ALEInterface& ale = emulator_->ale;
  ale.setFloat("repeat_action_probability", static_cast<float>(options.repeat_action_probability));
  // Set before loading: some games draw random numbers while they are loaded.
  ale.setInt("random_seed", options.seed);
  ale.setBool("sound_obs", options.sound);
  Boot& boot = BootOf(rom, options);
  const auto run = [&] {
    ale.loadROM(rom.path);
    SetUp(options);
    ale.reset_game();
  };
  bool first = false;
  std::call_once(boot.once, [&] {
    first = true;
    run();
    ale::stella::Random untouched;
    untouched.seed(static_cast<uint32_t>(options.seed));
    boot.depends_on_seed = StateOf(untouched) != StateOf(ale.environment->getEnvironmentRNG());
    boot.format = ale.theOSystem->console().getFormat();
    ByteWriter writer;
    Save(writer);
    boot.state = std::move(writer.written);
  });
  if (first) return;
  if (boot.depends_on_seed) {
    run();
    return;
  }
  Insert(ale, rom, boot.format);
  SetUp(options);
  ByteReader reader(boot.state);
  if (!Load(reader)) throw std::logic_error(rom.path + ": its first state cannot be loaded");
  ale.environment->getEnvironmentRNG().seed(static_cast<uint32_t>(options.seed));
  at_start_ = true;
}

void Machine::SetUp(const MachineOptions& options) {
  ale::ALEInterface& ale = emulator_->ale;
  if (options.mode >= 0) ale.setMode(options.mode);
  if (options.difficulty >= 0) ale.setDifficulty(options.difficulty);
  emulator_->tia = static_cast<ale::stella::TIA*>(&ale.theOSystem->console().mediaSource());
  held_.resize(static_cast<size_t>(screen_height()) * kScreenWidth);
}

}  // namespace parallel_pool::atari
