#include "parallel_pool/envs/mujoco/gym/half_cheetah.h"
#include "parallel_pool/envs/mujoco/gym/hopper.h"
#include "parallel_pool/envs/mujoco/gym/swimmer.h"
#include "parallel_pool/envs/mujoco/gym/tasks.h"
#include "parallel_pool/envs/mujoco/gym/walker2d.h"

namespace parallel_pool::mujoco::gym {

void AddRunners(const PicturedRegistry& registry) {
  registry.Add<HalfCheetah<5>>("HalfCheetah-v5",
                               {.max_episode_steps = 1000, .reward_threshold = 4800});
  registry.Add<HalfCheetah<4>>("HalfCheetah-v4",
                               {.max_episode_steps = 1000, .reward_threshold = 4800});
  registry.Add<HalfCheetah<4>>("HalfCheetah-v3",
                               {.max_episode_steps = 1000, .reward_threshold = 4800});
  registry.Add<Hopper<5>>("Hopper-v5", {.max_episode_steps = 1000, .reward_threshold = 3800});
  registry.Add<Hopper<4>>("Hopper-v4", {.max_episode_steps = 1000, .reward_threshold = 3800});
  registry.Add<Hopper<4>>("Hopper-v3", {.max_episode_steps = 1000, .reward_threshold = 3800});
  registry.Add<Swimmer<5>>("Swimmer-v5", {.max_episode_steps = 1000, .reward_threshold = 360});
  registry.Add<Swimmer<4>>("Swimmer-v4", {.max_episode_steps = 1000, .reward_threshold = 360});
  registry.Add<Swimmer<4>>("Swimmer-v3", {.max_episode_steps = 1000, .reward_threshold = 360});
  registry.Add<Walker2d<5>>("Walker2d-v5", {.max_episode_steps = 1000});
  registry.Add<Walker2d<4>>("Walker2d-v4", {.max_episode_steps = 1000});
  registry.Add<Walker2d<4>>("Walker2d-v3", {.max_episode_steps = 1000});
}

}  // namespace parallel_pool::mujoco::gym
