// Turning a SharedConsole on, its Save and its Load.
#include <stdexcept>
#include <string>
#include <tuple>

#include "ale/emucore/Deserializer.hxx"
#include "ale/emucore/M6532.hxx"
#include "ale/emucore/Props.hxx"
#include "ale/emucore/Serializer.hxx"
#include "parallel_pool/core/save.h"
#include "parallel_pool/envs/atari/ale_members.h"
#include "parallel_pool/envs/atari/emulator_parts.h"
#include "parallel_pool/envs/atari/players/shared_console_parts.h"
#include "parallel_pool/envs/atari/rom.h"

namespace parallel_pool::atari {

using ale::stella::M6532;
using ale::stella::System;

struct Memory { friend auto MembersOf(Memory); };
template struct Expose<Memory, &M6532::myRAM>;
struct Chips { friend auto MembersOf(Chips); };
template struct Expose<Chips, &System::myDevices, &System::myNumberOfDevices>;

namespace {

const uint8_t* RamOf(System& system) {
  const auto [chips, count] = MembersOf(Chips{});
  const auto [memory] = MembersOf(Memory{});
  for (uint32_t i = 0; i < system.*count; ++i) {
    auto* const chip = dynamic_cast<M6532*>((system.*chips)[i]);
    if (chip != nullptr) return chip->*memory;
  }
  throw std::logic_error("a console without RAM");
}

}  // namespace

std::string SharedRomPath(const GameRules& rules) {
  const std::string rom(rules.rom);
  return rules.md5.empty() ? FindRom(rom).path : FindRomFile(rom, std::string(rules.md5));
}

SharedConsole::Emulator::Emulator(const std::string& rom_path, uint32_t seed) : settings(&os) {
  // The power-on state of the RAM and the timers draw from this seed, and then all else does.
  settings.setInt("system_random_seed", static_cast<int>(seed));
  settings.validate();
  os.create();
  CheckReadable(rom_path);
  if (!os.createConsole(rom_path)) throw std::bad_alloc();  // the file has been read before
  os.colourPalette().setPalette("standard", os.console().getFormat());
  system().rng().seed(seed);
  tia = static_cast<ale::stella::TIA*>(&os.console().mediaSource());
  ram = RamOf(system());
  const auto is_paddles = [&](ale::stella::PropertyType side) {
    return os.console().properties().get(side) == "PADDLES";
  };
  has_paddles =
      is_paddles(ale::stella::Controller_Left) || is_paddles(ale::stella::Controller_Right);
}

void SharedConsole::Save(Writer& writer) const {
  ale::stella::Serializer serializer;
  emulator_->system().saveState("", serializer);
  const std::string text = serializer.get_str();
  WriteAll(writer, std::tie(text, controls_.paddles, actions_, tally_, mode_));
  PassChips(Out{writer}, emulator_->os);
}

bool SharedConsole::Load(Reader& reader) {
  std::string text;
  if (!ReadAll(reader, std::tie(text, controls_.paddles, actions_, tally_, mode_))) return false;
  ale::stella::Deserializer deserializer(text);
  if (!emulator_->system().loadState("", deserializer)) return false;
  return PassChips(In{reader}, emulator_->os);
}

}  // namespace parallel_pool::atari
