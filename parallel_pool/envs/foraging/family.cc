// The task of lbforaging 2.0.0. names.py has the names that its package registers.
#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/foraging/foraging.h"

namespace parallel_pool::foraging {

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<Foraging>("Foraging-v3", {.max_episode_steps = 50});
}

}  // namespace parallel_pool::foraging
