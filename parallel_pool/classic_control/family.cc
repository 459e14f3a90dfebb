#include "parallel_pool/classic_control/cartpole.h"
#include "parallel_pool/core/env.h"

namespace parallel_pool::classic_control {

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<CartPole>("CartPole-v1", {.max_episode_steps = 500, .reward_threshold = 475});
}

}  // namespace parallel_pool::classic_control
