// Models without what only pictures need: textures, the faces of meshes, and their trees of boxes.
// They make up nine tenths of a model with meshes.
#pragma once

#include <functional>

#include "parallel_pool/envs/mujoco/engine/model.h"

namespace parallel_pool::mujoco {

// A copy of `model` without them, for models without rays (sensors of distances) and without
// signed distance fields. Worlds of it make the same steps, and scenes can be made of them; a
// renderer's context needs the result of `whole`.
Model SlimModel(const mjModel& model, std::function<Model()> whole);

// The whole model of a slim one; any other is whole itself.
Model WholeModel(const Model& model);

}  // namespace parallel_pool::mujoco
