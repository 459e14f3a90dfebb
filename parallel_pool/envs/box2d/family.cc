#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/box2d/bipedal_walker.h"
#include "parallel_pool/envs/box2d/car_racing/car_racing.h"
#include "parallel_pool/envs/box2d/lunar_lander.h"

namespace parallel_pool::box2d {

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<BipedalWalker>("BipedalWalker-v3",
                              {.max_episode_steps = 1600, .reward_threshold = 300});
  registry.Add<BipedalWalker>("BipedalWalkerHardcore-v3",
                              {.max_episode_steps = 2000, .reward_threshold = 300},
                              {.hardcore = true});
  // Version 2 is EnvPool's name of the same tasks.
  for (const char* version : {"2", "3"}) {
    registry.Add<CarRacing>(std::string("CarRacing-v") + version,
                            {.max_episode_steps = 1000, .reward_threshold = 900});
    registry.Add<LunarLander>(std::string("LunarLander-v") + version,
                              {.max_episode_steps = 1000, .reward_threshold = 200});
    registry.Add<LunarLander>(std::string("LunarLanderContinuous-v") + version,
                              {.max_episode_steps = 1000, .reward_threshold = 200},
                              {.continuous = true});
  }
}

}  // namespace parallel_pool::box2d
