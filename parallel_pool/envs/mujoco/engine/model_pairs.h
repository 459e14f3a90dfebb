// The pairs of geoms of a model, found once for all envs that share the model.
#pragma once

#include <memory>
#include <string>

#include "parallel_pool/envs/mujoco/collision/pairs.h"
#include "parallel_pool/envs/mujoco/engine/model.h"

namespace parallel_pool::mujoco {

// Models that share their arrays of integers share the result, too. nullptr, with the reason in
// `why_not`: the model or this libmujoco is not covered. Any thread may call it.
std::shared_ptr<const collision::Pairs> PairsOf(const Model& model, std::string* why_not);

}  // namespace parallel_pool::mujoco
