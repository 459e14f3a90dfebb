// BabyAI's levels whose instructions are drawn from a grammar: Synth, BossLevel and others, which
// differ only in their options.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "parallel_pool/envs/minigrid/babyai/level.h"

namespace parallel_pool::minigrid::babyai {

struct LevelGenConfig : RoomsConfig {
  int32_t num_dists = 18;
  double locked_room_prob = 0.5;
  bool locations = true, unblocking = true, implicit_unlock = true;
  Lines action_kinds = {"goto\npickup\nopen\nputnext"};
  Lines instr_kinds = {"action\nand\nseq"};
};

class LevelGen : public LevelWith<LevelGenConfig> {
 public:
  static Options<Config> Describe();
  static Rules RulesFor(const Config& config);  // checks the options, too
  LevelGen(const Config& config, Rng& rng);

  void Generate();

 private:
  enum class Form : uint8_t { kAction, kAnd, kSequence };  // of an instruction

  static List<Verb, 4> VerbsOf(const Config& config);
  static List<Form, 3> FormsOf(const Config& config);

  Instruction RandInstruction();
  Clause RandClause(Form form);
  Command RandCommand();
  ObjectDescription RandObject();         // of any kind
  ObjectDescription RandMovableObject();  // not a door
  ObjectDescription RandDoor();
  template <size_t n>
  ObjectDescription RandObjectOf(const std::array<Kind, n>& kinds);
  void AddLockedRoom();
  // Whether there is such an object, if need be outside the locked room.
  bool Exists(const ObjectDescription& description) const;

  const List<Verb, 4> verbs_;
  const List<Form, 3> forms_;
  std::optional<RoomAt> locked_room_;
};

}  // namespace parallel_pool::minigrid::babyai
