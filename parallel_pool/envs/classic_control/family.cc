#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/classic_control/acrobot.h"
#include "parallel_pool/envs/classic_control/cartpole.h"
#include "parallel_pool/envs/classic_control/mountain_car.h"
#include "parallel_pool/envs/classic_control/mountain_car_continuous.h"
#include "parallel_pool/envs/classic_control/pendulum.h"

namespace parallel_pool::classic_control {

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<CartPole>("CartPole-v0", {.max_episode_steps = 200, .reward_threshold = 195});
  registry.Add<CartPole>("CartPole-v1", {.max_episode_steps = 500, .reward_threshold = 475});
  registry.Add<MountainCar>("MountainCar-v0", {.max_episode_steps = 200, .reward_threshold = -110});
  registry.Add<MountainCarContinuous>("MountainCarContinuous-v0",
                                      {.max_episode_steps = 999, .reward_threshold = 90});
  registry.Add<Pendulum>("Pendulum-v0", {.max_episode_steps = 200}, {.clips_late = true});
  registry.Add<Pendulum>("Pendulum-v1", {.max_episode_steps = 200});
  registry.Add<Acrobot>("Acrobot-v1", {.max_episode_steps = 500, .reward_threshold = -100});
}

}  // namespace parallel_pool::classic_control
