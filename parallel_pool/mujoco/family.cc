#include "parallel_pool/core/env.h"
#include "parallel_pool/mujoco/ant.h"
#include "parallel_pool/mujoco/half_cheetah.h"
#include "parallel_pool/mujoco/hopper.h"
#include "parallel_pool/mujoco/humanoid.h"
#include "parallel_pool/mujoco/humanoid_standup.h"
#include "parallel_pool/mujoco/inverted_double_pendulum.h"
#include "parallel_pool/mujoco/inverted_pendulum.h"
#include "parallel_pool/mujoco/pusher.h"
#include "parallel_pool/mujoco/reacher.h"
#include "parallel_pool/mujoco/swimmer.h"
#include "parallel_pool/mujoco/walker2d.h"

namespace parallel_pool::mujoco {

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<Ant>("Ant-v5", {.max_episode_steps = 1000, .reward_threshold = 6000});
  registry.Add<HalfCheetah>("HalfCheetah-v5", {.max_episode_steps = 1000, .reward_threshold = 4800});
  registry.Add<Hopper>("Hopper-v5", {.max_episode_steps = 1000, .reward_threshold = 3800});
  registry.Add<Humanoid>("Humanoid-v5", {.max_episode_steps = 1000});
  registry.Add<HumanoidStandup>("HumanoidStandup-v5", {.max_episode_steps = 1000});
  registry.Add<InvertedDoublePendulum>("InvertedDoublePendulum-v5", {.max_episode_steps = 1000, .reward_threshold = 9100});
  registry.Add<InvertedPendulum>("InvertedPendulum-v5", {.max_episode_steps = 1000, .reward_threshold = 950});
  registry.Add<Pusher>("Pusher-v5", {.max_episode_steps = 100, .reward_threshold = 0});
  registry.Add<Reacher>("Reacher-v5", {.max_episode_steps = 50, .reward_threshold = -3.75});
  registry.Add<Swimmer>("Swimmer-v5", {.max_episode_steps = 1000, .reward_threshold = 360});
  registry.Add<Walker2d>("Walker2d-v5", {.max_episode_steps = 1000});
}

}  // namespace parallel_pool::mujoco
