// The task of rware 2.0.0. names.py has the names that its package registers.
#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/rware/rware.h"

namespace parallel_pool::rware {

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<Rware>("rware-v2", {.max_episode_steps = 500});
}

}  // namespace parallel_pool::rware
