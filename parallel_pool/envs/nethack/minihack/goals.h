// The rewards and the ends of MiniHack's tasks.
#pragma once

#include <memory>

#include "parallel_pool/envs/nethack/goal.h"
#include "parallel_pool/envs/nethack/minihack/minihack_env.h"

namespace parallel_pool::nethack {

std::unique_ptr<Goal> MakeMinihackGoal(const MinihackConfig& config);

}  // namespace parallel_pool::nethack
