// Registering levels.
#pragma once

#include <string>
#include <utility>

#include "parallel_pool/envs/minigrid/env.h"

namespace parallel_pool::minigrid {

// Registers a level as `id`; `config` are the default values of its options.
template <class Level>
void Add(Registry& registry, std::string id, typename Level::Config config = {}) {
  config.see_through_walls = Level::kSeesThroughWalls;
  registry.Add<GridEnv<Level>>(std::move(id), {}, std::move(config));
}

}  // namespace parallel_pool::minigrid
