#include "parallel_pool/envs/mujoco/multi_agent/tasks.h"

#include <string>
#include <utility>

#include "parallel_pool/envs/mujoco/gym/ant.h"
#include "parallel_pool/envs/mujoco/gym/half_cheetah.h"
#include "parallel_pool/envs/mujoco/gym/hopper.h"
#include "parallel_pool/envs/mujoco/gym/humanoid.h"
#include "parallel_pool/envs/mujoco/gym/humanoid_standup.h"
#include "parallel_pool/envs/mujoco/gym/inverted_double_pendulum.h"
#include "parallel_pool/envs/mujoco/gym/inverted_pendulum.h"
#include "parallel_pool/envs/mujoco/gym/pusher.h"
#include "parallel_pool/envs/mujoco/gym/reacher.h"
#include "parallel_pool/envs/mujoco/gym/swimmer.h"
#include "parallel_pool/envs/mujoco/gym/walker2d.h"
#include "parallel_pool/envs/mujoco/multi_agent/coupled_half_cheetah.h"
#include "parallel_pool/envs/mujoco/multi_agent/multi_agent.h"

namespace parallel_pool::mujoco::multi_agent {
namespace {

// Adds MaMuJoCo`robot`-v1: `agent_conf` and what agents observe by default, of their own parts and
// of others.
template <class Env>
void Add(const PicturedRegistry& registry, const std::string& robot, const char* agent_conf,
         int max_episode_steps, const char* own = "qpos qvel") {
  typename Env::Config config;
  config.robot = robot;
  config.agent_conf = agent_conf;
  config.local_categories = {own + std::string("\nqpos")};
  registry.Add<Env>("MaMuJoCo" + robot + "-v1", {.max_episode_steps = max_episode_steps},
                    std::move(config));
}

}  // namespace

void AddTasks(const PicturedRegistry& registry) {
  constexpr char kForces[] = "qpos qvel cfrc_ext";
  constexpr char kAll[] = "qpos qvel cinert cvel qfrc_actuator cfrc_ext";
  Add<MultiAgent<gym::Ant<5>>>(registry, "Ant", "2x4", 1000, kForces);
  Add<MultiAgent<gym::HalfCheetah<5>>>(registry, "HalfCheetah", "2x3", 1000);
  Add<MultiAgent<gym::Hopper<5>>>(registry, "Hopper", "3x1", 1000);
  Add<MultiAgent<gym::Humanoid<5>>>(registry, "Humanoid", "9|8", 1000, kAll);
  Add<MultiAgent<gym::HumanoidStandup<5>>>(registry, "HumanoidStandup", "9|8", 1000, kAll);
  Add<MultiAgent<gym::Reacher<5>>>(registry, "Reacher", "2x1", 50, "qpos qvel fingertip_dist");
  Add<MultiAgent<gym::Swimmer<5>>>(registry, "Swimmer", "2x1", 1000);
  Add<MultiAgent<gym::Pusher<5>>>(registry, "Pusher", "3p", 100);
  Add<MultiAgent<gym::Walker2d<5>>>(registry, "Walker2d", "2x3", 1000);
  Add<MultiAgent<gym::InvertedPendulum<5>>>(registry, "InvertedPendulum", "", 1000);
  Add<MultiAgent<gym::InvertedDoublePendulum<5>>>(registry, "InvertedDoublePendulum", "", 1000);
  Add<MultiAgent<CoupledHalfCheetah>>(registry, "CoupledHalfCheetah", "1p1", 1000,
                                      "qpos qvel ten_J ten_length ten_velocity");
  Add<MultiAgent<gym::Swimmer<5>, true>>(registry, "ManySegmentSwimmer", "10x2", 1000);
  Add<MultiAgent<gym::Ant<5>, true>>(registry, "ManySegmentAnt", "2x3", 1000, kForces);
}

}  // namespace parallel_pool::mujoco::multi_agent
