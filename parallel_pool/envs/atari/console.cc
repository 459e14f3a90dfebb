#include "parallel_pool/envs/atari/console.h"

#include <tuple>

#include "parallel_pool/core/save.h"

namespace parallel_pool::atari {

void Console::TurnOn(int32_t seed) {
  machine_ = std::make_unique<Machine>(
      FindRom(config_.rom),
      MachineOptions{config_.mode, config_.difficulty, config_.repeat_action_probability, seed,
                     config_.sound_obs});
  frame_maker_ = std::make_unique<FrameMaker>(machine_->palette(), machine_->screen_height(),
                                              FormatOf(config_));
}

void Console::Save(Writer& writer) const {
  const bool is_on = on();
  WriteAll(writer, std::tie(is_on));
  if (is_on) machine_->Save(writer);
}

bool Console::Load(Reader& reader) {
  bool is_on = false;
  if (!ReadAll(reader, std::tie(is_on))) return false;
  if (!is_on) {
    TurnOff();
    return true;
  }
  if (!on()) TurnOn(/*seed=*/0);  // any seed: Load replaces all state that depends on it
  return machine_->Load(reader);
}

}  // namespace parallel_pool::atari
