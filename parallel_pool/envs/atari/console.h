// The machine of one env, and the FrameMaker for its screens. The machine is made by TurnOn,
// because its state depends on a seed.
#pragma once

#include <memory>

#include "parallel_pool/core/plugin.h"
#include "parallel_pool/envs/atari/atari_config.h"
#include "parallel_pool/envs/atari/machine.h"
#include "parallel_pool/envs/atari/screen.h"

namespace parallel_pool::atari {

class Console {
 public:
  explicit Console(const AtariConfig& config) : config_(config) {}

  // Makes a new machine, without traces of earlier episodes.
  void TurnOn(int32_t seed);
  // Deletes the machine: over a Reset it keeps traces of earlier episodes.
  void TurnOff() { machine_.reset(); }
  bool on() const { return machine_ != nullptr; }

  // Only while on().
  Machine* operator->() const { return machine_.get(); }
  FrameMaker& frame_maker() const { return *frame_maker_; }

  void Save(Writer& writer) const;
  bool Load(Reader& reader);

 private:
  const AtariConfig& config_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<FrameMaker> frame_maker_;
};

}  // namespace parallel_pool::atari
