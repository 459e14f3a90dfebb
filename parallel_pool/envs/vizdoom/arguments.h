// The arguments with which an engine starts a game of a scenario.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parallel_pool/envs/vizdoom/scenario/scenario.h"

namespace parallel_pool::vizdoom {

std::vector<std::string> Arguments(const Scenario& scenario, uint32_t engine_seed);

}  // namespace parallel_pool::vizdoom
