// Models of MuJoCo, and its errors.
#pragma once

#include <mujoco/mujoco.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace parallel_pool::mujoco {

// An error of MuJoCo with its own message. By default MuJoCo would end the process.
struct MujocoError : std::runtime_error { using std::runtime_error::runtime_error; };

// A loaded model. It never changes, so any number of envs and threads share it; the last one frees
// it.
using Model = std::shared_ptr<const mjModel>;

// Changes of a model that a task makes: those of what the file describes, and those of the
// compiled model. An edit with another name makes another model.
struct ModelEdit {
  std::string name = "";
  std::function<void(mjSpec&)> spec = {};
  std::function<void(mjModel&)> model = {};
  bool is_slim = false;  // see slim_model.h
};

// Loads the model of an MJCF or URDF file, once for all setups of a spec; `disable_flags`
// (mjDSBL_...) are added to its own. Throws std::invalid_argument with MuJoCo's message if there is
// none.
Model LoadModel(const std::string& path, int disable_flags = 0, const ModelEdit& edit = {});

// A model of a user, from XML, or from the bytes of an MJB file of this version of MuJoCo. Throw
// std::invalid_argument if it is none.
Model ModelFromText(const std::string& xml);
Model ModelFromBytes(const void* bytes, int64_t size);

// Whether libmujoco is the version whose operations are proved to be those of our own stages.
bool IsProvedMujoco();

// From now on, errors of MuJoCo are MujocoErrors; warnings are counted in mjData and not printed.
// Must be called before MuJoCo's other functions; a second call does nothing.
void HandleErrors();

}  // namespace parallel_pool::mujoco
