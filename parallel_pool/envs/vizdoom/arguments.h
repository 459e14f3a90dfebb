// The arguments with which an engine starts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "parallel_pool/envs/vizdoom/scenario/scenario.h"

namespace parallel_pool::vizdoom {

// Those of a game of `scenario` with the files of `package`, the folder of the package vizdoom.
std::vector<std::string> Arguments(const std::filesystem::path& package, const Scenario& scenario,
                                   uint32_t engine_seed);

}  // namespace parallel_pool::vizdoom
