// The options of a pool, as Python has them.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/engine/pool_options.h"

namespace parallel_pool {

// (setup, time limit) of each env, and back.
using EnvOptionsList = std::vector<std::pair<std::shared_ptr<Setup>, int>>;
std::vector<EnvSetup> ToEnvOptions(const EnvOptionsList& list);
EnvOptionsList FromEnvOptions(const std::vector<EnvSetup>& all);

// Reads the members of PoolOptions that are options of make(), by their names there. Options that
// `config` lacks keep their default; other entries are not the engine's. Batches are not
// page-locked.
PoolOptions ReadPoolOptions(const pybind11::dict& config);
// The names of all options that the engine reads.
std::vector<std::string> PoolOptionNames();

// The page locks of a pool whose option pin_memory is true, else nullptr.
std::shared_ptr<PageLocks> ReadPageLocks(const Setup& setup, const pybind11::dict& config);

}  // namespace parallel_pool
