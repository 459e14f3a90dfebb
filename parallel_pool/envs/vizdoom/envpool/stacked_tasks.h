// EnvPool's task ids.
#pragma once

#include "parallel_pool/core/env.h"

namespace parallel_pool::vizdoom {

void AddStackedTasks(Registry& registry);

}  // namespace parallel_pool::vizdoom
