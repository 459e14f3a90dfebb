// Models of MuJoCo, and what MuJoCo says when something is wrong.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace parallel_pool::mujoco {

// An error of MuJoCo with its own message. Left alone, MuJoCo would end the process.
struct MujocoError : std::runtime_error { using std::runtime_error::runtime_error; };

// Never changed once it is loaded, so that any number of envs and threads share one; it goes with
// the last of them.
using Model = std::shared_ptr<const mjModel>;

// The model in an MJCF or URDF file; `disable_flags` (mjDSBL_...) are added to its own.
// std::invalid_argument with MuJoCo's message if there is none.
Model LoadModel(const std::string& path, int disable_flags = 0);

// Makes errors of MuJoCo MujocoErrors from now on; warnings are counted in mjData and not printed.
// Called by whatever calls MuJoCo first.
void HandleErrors();

}  // namespace parallel_pool::mujoco
