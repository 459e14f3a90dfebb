#include <string>

#include "parallel_pool/envs/minigrid/add.h"
#include "parallel_pool/envs/minigrid/babyai/babyai.h"
#include "parallel_pool/envs/minigrid/babyai/level_gen.h"

namespace parallel_pool::minigrid::babyai {
namespace {

using Config = LevelGenConfig;

void AddLevel(Registry& registry, const std::string& name, const Config& config) {
  Add<LevelGen>(registry, "BabyAI-" + name + "-v0", config);
}

void SetRooms(Config& config, int room_size, int rows, int columns, int num_dists) {
  config.room_size = room_size;
  config.num_rows = rows;
  config.num_cols = columns;
  config.num_dists = num_dists;
}

void AddGoToSeq(Registry& registry) {
  Config config;
  config.action_kinds = {"goto"};
  config.locked_room_prob = 0;
  config.locations = config.unblocking = false;
  AddLevel(registry, "GoToSeq", config);
  SetRooms(config, 5, 2, 2, 4);
  AddLevel(registry, "GoToSeqS5R2", config);
}

void AddPickupLoc(Registry& registry) {
  Config config;
  config.action_kinds = {"pickup"};
  config.instr_kinds = {"action"};
  config.locked_room_prob = 0;
  config.unblocking = false;
  SetRooms(config, 8, 1, 1, 8);
  AddLevel(registry, "PickupLoc", config);
}

void AddSynth(Registry& registry) {
  Config config;
  config.implicit_unlock = false;
  AddLevel(registry, "SynthSeq", config);
  config.instr_kinds = {"action"};
  AddLevel(registry, "SynthLoc", config);
  config.locations = false;
  AddLevel(registry, "Synth", config);
  SetRooms(config, 5, 2, 3, 18);
  AddLevel(registry, "SynthS5R2", config);
}

void AddBossLevel(Registry& registry) {
  Config boss;
  AddLevel(registry, "BossLevel", boss);
  Config mini;
  mini.locked_room_prob = 0.25;
  SetRooms(mini, 5, 2, 2, 7);
  AddLevel(registry, "MiniBossLevel", mini);
  Config unlocked;
  unlocked.locked_room_prob = 0;
  unlocked.implicit_unlock = false;
  AddLevel(registry, "BossLevelNoUnlock", unlocked);
}

}  // namespace

void AddGenerated(Registry& registry) {
  AddGoToSeq(registry);
  AddPickupLoc(registry);
  AddSynth(registry);
  AddBossLevel(registry);
}

}  // namespace parallel_pool::minigrid::babyai
