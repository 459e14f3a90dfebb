#include "parallel_pool/envs/minigrid/babyai/pick_up.h"

#include <string>

#include "parallel_pool/envs/minigrid/add.h"
#include "parallel_pool/envs/minigrid/babyai/babyai.h"

namespace parallel_pool::minigrid::babyai {
namespace {

// BabyAI-<name>S<size>-v0 for each size.
template <class Level>
void AddSizes(Registry& registry, const std::string& name, std::initializer_list<int> sizes) {
  for (const int size : sizes) {
    typename Level::Config config;
    config.room_size = size;
    Add<Level>(registry, "BabyAI-" + name + "S" + std::to_string(size) + "-v0", config);
  }
}

void AddKeyCorridor(Registry& registry) {
  struct Sizes { int room_size, num_rows; };
  Add<KeyCorridor>(registry, "BabyAI-KeyCorridor-v0");
  for (const auto& [size, rows] : {Sizes{3, 1}, {3, 2}, {3, 3}, {4, 3}, {5, 3}, {6, 3}}) {
    KeyCorridor::Config config;
    config.room_size = size;
    config.num_rows = rows;
    Add<KeyCorridor>(
        registry, "BabyAI-KeyCorridorS" + std::to_string(size) + "R" + std::to_string(rows) + "-v0",
        config);
  }
}

}  // namespace

void AddPickUp(Registry& registry) {
  PickupDist::Config strict;
  strict.debug = true;
  Add<Pickup>(registry, "BabyAI-Pickup-v0");
  Add<UnblockPickup>(registry, "BabyAI-UnblockPickup-v0");
  Add<PickupDist>(registry, "BabyAI-PickupDist-v0");
  Add<PickupDist>(registry, "BabyAI-PickupDistDebug-v0", strict);
  Add<PickupAbove>(registry, "BabyAI-PickupAbove-v0");
  AddSizes<FindObj>(registry, "FindObj", {5, 6, 7});
  AddSizes<OneRoom>(registry, "OneRoom", {8, 12, 16, 20});
  AddKeyCorridor(registry);
}

}  // namespace parallel_pool::minigrid::babyai
