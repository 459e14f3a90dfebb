// The machine of one env and what makes frames out of its screens. There is none until it is turned
// on, because what it is depends on a seed.
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

  // A new machine, in which nothing has happened yet.
  void TurnOn(int32_t seed);
  // A console that has run keeps traces of that over a Reset; the next TurnOn gives another one.
  void TurnOff() { machine_.reset(); }
  bool on() const { return machine_ != nullptr; }

  // Only while it is on.
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
