#include "parallel_pool/envs/mujoco/dm_control/acrobot.h"
#include "parallel_pool/envs/mujoco/dm_control/cartpole.h"
#include "parallel_pool/envs/mujoco/dm_control/lqr.h"
#include "parallel_pool/envs/mujoco/dm_control/pendulum.h"
#include "parallel_pool/envs/mujoco/dm_control/tasks.h"

namespace parallel_pool::mujoco::dm_control {

void AddPendulums(Registry& registry) {
  Add<Acrobot>(registry, "AcrobotSwingup-v1");
  Add<Acrobot>(registry, "AcrobotSwingupSparse-v1", {.is_sparse = true});
  Add<Cartpole>(registry, "CartpoleBalance-v1");
  Add<Cartpole>(registry, "CartpoleBalanceSparse-v1", {.is_sparse = true});
  Add<Cartpole>(registry, "CartpoleSwingup-v1", {.swings_up = true});
  Add<Cartpole>(registry, "CartpoleSwingupSparse-v1", {.swings_up = true, .is_sparse = true});
  Add<Cartpole>(registry, "CartpoleTwoPoles-v1", {.poles = 2, .swings_up = true});
  Add<Cartpole>(registry, "CartpoleThreePoles-v1", {.poles = 3, .swings_up = true});
  Add<Lqr>(registry, "LqrLqr21-v1", {.bodies = 2});
  Add<Lqr>(registry, "LqrLqr62-v1", {.bodies = 6});
  Add<Pendulum>(registry, "PendulumSwingup-v1");
}

}  // namespace parallel_pool::mujoco::dm_control
