// The tasks of minigrid 3.2.0.
#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/minigrid/babyai/babyai.h"
#include "parallel_pool/envs/minigrid/levels/levels.h"
#include "parallel_pool/envs/minigrid/rooms/rooms.h"

namespace parallel_pool::minigrid {

PARALLEL_POOL_FAMILY(registry) {
  AddWalks(registry);
  AddObjects(registry);
  AddRooms(registry);
  babyai::AddGoTo(registry);
  babyai::AddOpen(registry);
  babyai::AddPickUp(registry);
  babyai::AddGenerated(registry);
}

}  // namespace parallel_pool::minigrid
