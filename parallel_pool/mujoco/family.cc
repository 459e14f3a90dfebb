#include "parallel_pool/core/env.h"
#include "parallel_pool/mujoco/ant.h"
#include "parallel_pool/mujoco/any_model.h"
#include "parallel_pool/mujoco/half_cheetah.h"
#include "parallel_pool/mujoco/hopper.h"
#include "parallel_pool/mujoco/humanoid.h"
#include "parallel_pool/mujoco/humanoid_standup.h"
#include "parallel_pool/mujoco/inverted_double_pendulum.h"
#include "parallel_pool/mujoco/inverted_pendulum.h"
#include "parallel_pool/mujoco/pusher.h"
#include "parallel_pool/mujoco/reacher.h"
#include "parallel_pool/mujoco/rendering/pictured.h"
#include "parallel_pool/mujoco/swimmer.h"
#include "parallel_pool/mujoco/views.h"
#include "parallel_pool/mujoco/walker2d.h"

namespace parallel_pool::mujoco {

namespace {

// gym 0.26's, for mujoco-py. Most are what Gymnasium calls v4.
void AddOlder(const PicturedRegistry& registry) {
  registry.Add<Ant<3>>("Ant-v3", {.max_episode_steps = 1000, .reward_threshold = 6000});
  registry.Add<HalfCheetah<4>>("HalfCheetah-v3",
                               {.max_episode_steps = 1000, .reward_threshold = 4800});
  registry.Add<Hopper<4>>("Hopper-v3", {.max_episode_steps = 1000, .reward_threshold = 3800});
  registry.Add<Humanoid<3>>("Humanoid-v3", {.max_episode_steps = 1000});
  registry.Add<HumanoidStandup<4>>("HumanoidStandup-v2", {.max_episode_steps = 1000});
  registry.Add<InvertedDoublePendulum<4>>("InvertedDoublePendulum-v2",
                                          {.max_episode_steps = 1000, .reward_threshold = 9100});
  registry.Add<InvertedPendulum<4>>("InvertedPendulum-v2",
                                    {.max_episode_steps = 1000, .reward_threshold = 950});
  registry.Add<Pusher<4>>("Pusher-v2", {.max_episode_steps = 100, .reward_threshold = 0});
  registry.Add<Reacher<4>>("Reacher-v2", {.max_episode_steps = 50, .reward_threshold = -3.75});
  registry.Add<Swimmer<4>>("Swimmer-v3", {.max_episode_steps = 1000, .reward_threshold = 360});
  registry.Add<Walker2d<4>>("Walker2d-v3", {.max_episode_steps = 1000});
}

}  // namespace

PARALLEL_POOL_FAMILY(all) {
  const PicturedRegistry registry(all);
  registry.Add<Ant<5>>("Ant-v5", {.max_episode_steps = 1000, .reward_threshold = 6000});
  registry.Add<Ant<4>>("Ant-v4", {.max_episode_steps = 1000, .reward_threshold = 6000});
  registry.Add<HalfCheetah<5>>("HalfCheetah-v5",
                               {.max_episode_steps = 1000, .reward_threshold = 4800});
  registry.Add<HalfCheetah<4>>("HalfCheetah-v4",
                               {.max_episode_steps = 1000, .reward_threshold = 4800});
  registry.Add<Hopper<5>>("Hopper-v5", {.max_episode_steps = 1000, .reward_threshold = 3800});
  registry.Add<Hopper<4>>("Hopper-v4", {.max_episode_steps = 1000, .reward_threshold = 3800});
  registry.Add<Humanoid<5>>("Humanoid-v5", {.max_episode_steps = 1000});
  registry.Add<Humanoid<4>>("Humanoid-v4", {.max_episode_steps = 1000});
  registry.Add<HumanoidStandup<5>>("HumanoidStandup-v5", {.max_episode_steps = 1000});
  registry.Add<HumanoidStandup<4>>("HumanoidStandup-v4", {.max_episode_steps = 1000});
  registry.Add<InvertedDoublePendulum<5>>("InvertedDoublePendulum-v5",
                                          {.max_episode_steps = 1000, .reward_threshold = 9100});
  registry.Add<InvertedDoublePendulum<4>>("InvertedDoublePendulum-v4",
                                          {.max_episode_steps = 1000, .reward_threshold = 9100});
  registry.Add<InvertedPendulum<5>>("InvertedPendulum-v5",
                                    {.max_episode_steps = 1000, .reward_threshold = 950});
  registry.Add<InvertedPendulum<4>>("InvertedPendulum-v4",
                                    {.max_episode_steps = 1000, .reward_threshold = 950});
  registry.Add<Pusher<5>>("Pusher-v5", {.max_episode_steps = 100, .reward_threshold = 0});
  registry.Add<Pusher<4>>("Pusher-v4", {.max_episode_steps = 100, .reward_threshold = 0});
  registry.Add<Reacher<5>>("Reacher-v5", {.max_episode_steps = 50, .reward_threshold = -3.75});
  registry.Add<Reacher<4>>("Reacher-v4", {.max_episode_steps = 50, .reward_threshold = -3.75});
  registry.Add<Swimmer<5>>("Swimmer-v5", {.max_episode_steps = 1000, .reward_threshold = 360});
  registry.Add<Swimmer<4>>("Swimmer-v4", {.max_episode_steps = 1000, .reward_threshold = 360});
  registry.Add<Walker2d<5>>("Walker2d-v5", {.max_episode_steps = 1000});
  registry.Add<Walker2d<4>>("Walker2d-v4", {.max_episode_steps = 1000});
  AddOlder(registry);
  registry.Add<AnyModel>("MuJoCo-v0", {});
}

}  // namespace parallel_pool::mujoco
