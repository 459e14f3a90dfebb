#include "parallel_pool/envs/minigrid/babyai/open.h"

#include "parallel_pool/envs/minigrid/add.h"
#include "parallel_pool/envs/minigrid/babyai/babyai.h"
#include "parallel_pool/envs/minigrid/babyai/unlock.h"

namespace parallel_pool::minigrid::babyai {
namespace {

void AddOpenDoor(Registry& registry) {
  OpenDoor::Config config;
  Add<OpenDoor>(registry, "BabyAI-OpenDoor-v0", config);
  config.debug = true;
  Add<OpenDoor>(registry, "BabyAI-OpenDoorDebug-v0", config);
  config.debug = false;
  config.select_by = "color";
  Add<OpenDoor>(registry, "BabyAI-OpenDoorColor-v0", config);
  config.select_by = "loc";
  Add<OpenDoor>(registry, "BabyAI-OpenDoorLoc-v0", config);
}

void AddOpenTwoDoors(Registry& registry) {
  OpenTwoDoors::Config config;
  Add<OpenTwoDoors>(registry, "BabyAI-OpenTwoDoors-v0", config);
  config.first_color = "red";
  config.second_color = "blue";
  Add<OpenTwoDoors>(registry, "BabyAI-OpenRedBlueDoors-v0", config);
  config.strict = true;
  Add<OpenTwoDoors>(registry, "BabyAI-OpenRedBlueDoorsDebug-v0", config);
}

void AddOpenDoorsOrder(Registry& registry) {
  for (const int doors : {2, 4}) {
    OpenDoorsOrder::Config config;
    config.num_doors = doors;
    const std::string id = "BabyAI-OpenDoorsOrderN" + std::to_string(doors);
    Add<OpenDoorsOrder>(registry, id + "-v0", config);
    config.debug = true;
    Add<OpenDoorsOrder>(registry, id + "Debug-v0", config);
  }
}

}  // namespace

void AddOpen(Registry& registry) {
  UnlockLocal::Config unlock_local;
  UnlockPickup::Config unlock_pickup;
  unlock_local.distractors = unlock_pickup.distractors = true;
  Add<OpenAny>(registry, "BabyAI-Open-v0");
  Add<OpenRedDoor>(registry, "BabyAI-OpenRedDoor-v0");
  AddOpenDoor(registry);
  AddOpenTwoDoors(registry);
  AddOpenDoorsOrder(registry);
  Add<UnlockAny>(registry, "BabyAI-Unlock-v0");
  Add<UnlockLocal>(registry, "BabyAI-UnlockLocal-v0");
  Add<UnlockLocal>(registry, "BabyAI-UnlockLocalDist-v0", unlock_local);
  Add<KeyInBox>(registry, "BabyAI-KeyInBox-v0");
  Add<UnlockPickup>(registry, "BabyAI-UnlockPickup-v0");
  Add<UnlockPickup>(registry, "BabyAI-UnlockPickupDist-v0", unlock_pickup);
  Add<BlockedUnlockPickup>(registry, "BabyAI-BlockedUnlockPickup-v0");
  Add<UnlockToUnlock>(registry, "BabyAI-UnlockToUnlock-v0");
  Add<ActionObjDoor>(registry, "BabyAI-ActionObjDoor-v0");
}

}  // namespace parallel_pool::minigrid::babyai
