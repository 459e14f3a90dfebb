#include "parallel_pool/envs/mujoco/gym/inverted_double_pendulum.h"
#include "parallel_pool/envs/mujoco/gym/inverted_pendulum.h"
#include "parallel_pool/envs/mujoco/gym/pusher.h"
#include "parallel_pool/envs/mujoco/gym/reacher.h"
#include "parallel_pool/envs/mujoco/gym/tasks.h"

namespace parallel_pool::mujoco::gym {

void AddArms(const PicturedRegistry& registry) {
  registry.Add<InvertedDoublePendulum<5>>("InvertedDoublePendulum-v5",
                                          {.max_episode_steps = 1000, .reward_threshold = 9100});
  registry.Add<InvertedDoublePendulum<4>>("InvertedDoublePendulum-v4",
                                          {.max_episode_steps = 1000, .reward_threshold = 9100});
  registry.Add<InvertedDoublePendulum<4>>("InvertedDoublePendulum-v2",
                                          {.max_episode_steps = 1000, .reward_threshold = 9100});
  registry.Add<InvertedPendulum<5>>("InvertedPendulum-v5",
                                    {.max_episode_steps = 1000, .reward_threshold = 950});
  registry.Add<InvertedPendulum<4>>("InvertedPendulum-v4",
                                    {.max_episode_steps = 1000, .reward_threshold = 950});
  registry.Add<InvertedPendulum<4>>("InvertedPendulum-v2",
                                    {.max_episode_steps = 1000, .reward_threshold = 950});
  registry.Add<Pusher<5>>("Pusher-v5", {.max_episode_steps = 100, .reward_threshold = 0});
  registry.Add<Pusher<4>>("Pusher-v4", {.max_episode_steps = 100, .reward_threshold = 0});
  registry.Add<Pusher<4>>("Pusher-v2", {.max_episode_steps = 100, .reward_threshold = 0});
  registry.Add<Reacher<5>>("Reacher-v5", {.max_episode_steps = 50, .reward_threshold = -3.75});
  registry.Add<Reacher<4>>("Reacher-v4", {.max_episode_steps = 50, .reward_threshold = -3.75});
  registry.Add<Reacher<4>>("Reacher-v2", {.max_episode_steps = 50, .reward_threshold = -3.75});
}

}  // namespace parallel_pool::mujoco::gym
