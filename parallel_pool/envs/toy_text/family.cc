#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/toy_text/blackjack.h"
#include "parallel_pool/envs/toy_text/catch.h"
#include "parallel_pool/envs/toy_text/cliff_walking.h"
#include "parallel_pool/envs/toy_text/frozen_lake.h"
#include "parallel_pool/envs/toy_text/n_chain.h"
#include "parallel_pool/envs/toy_text/taxi.h"

namespace parallel_pool::toy_text {

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<Blackjack>("Blackjack-v1", {});
  registry.Add<Catch>("Catch-v0", {});
  registry.Add<CliffWalking>("CliffWalking-v0", {});
  registry.Add<CliffWalking>("CliffWalking-v1", {});
  registry.Add<CliffWalking>("CliffWalkingSlippery-v1", {}, {.is_slippery = true});
  registry.Add<FrozenLake>("FrozenLake-v1", {.max_episode_steps = 100, .reward_threshold = 0.7});
  registry.Add<FrozenLake>("FrozenLake8x8-v1", {.max_episode_steps = 200, .reward_threshold = 0.85},
                           {.map_name = "8x8"});
  registry.Add<NChain>("NChain-v0", {.max_episode_steps = 1000});
  registry.Add<Taxi>("Taxi-v3", {.max_episode_steps = 200, .reward_threshold = 8});
  registry.Add<Taxi>("Taxi-v4", {.max_episode_steps = 200, .reward_threshold = 8});
}

}  // namespace parallel_pool::toy_text
