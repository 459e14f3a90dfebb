#include "parallel_pool/envs/mujoco/gym/ant.h"
#include "parallel_pool/envs/mujoco/gym/humanoid.h"
#include "parallel_pool/envs/mujoco/gym/humanoid_standup.h"
#include "parallel_pool/envs/mujoco/gym/tasks.h"

namespace parallel_pool::mujoco::gym {

void AddWalkers(const PicturedRegistry& registry) {
  registry.Add<Ant<5>>("Ant-v5", {.max_episode_steps = 1000, .reward_threshold = 6000});
  registry.Add<Ant<4>>("Ant-v4", {.max_episode_steps = 1000, .reward_threshold = 6000});
  registry.Add<Ant<3>>("Ant-v3", {.max_episode_steps = 1000, .reward_threshold = 6000});
  registry.Add<Humanoid<5>>("Humanoid-v5", {.max_episode_steps = 1000});
  registry.Add<Humanoid<4>>("Humanoid-v4", {.max_episode_steps = 1000});
  registry.Add<Humanoid<3>>("Humanoid-v3", {.max_episode_steps = 1000});
  registry.Add<HumanoidStandup<5>>("HumanoidStandup-v5", {.max_episode_steps = 1000});
  registry.Add<HumanoidStandup<4>>("HumanoidStandup-v4", {.max_episode_steps = 1000});
  registry.Add<HumanoidStandup<4>>("HumanoidStandup-v2", {.max_episode_steps = 1000});
}

}  // namespace parallel_pool::mujoco::gym
