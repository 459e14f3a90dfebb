// The option mujoco_version, which all tasks have. Python chooses the build of the family by it:
// each build has one MuJoCo.
#pragma once

#include <mujoco/mujoco.h>

#include <stdexcept>
#include <string>

#include "parallel_pool/core/options.h"

namespace parallel_pool::mujoco {

struct VersionConfig {
  std::string mujoco_version = "3.17.0";  // in each build: a state without it is of this version

  static Options<VersionConfig> Describe() {
    return {Option<&VersionConfig::mujoco_version>(
        "mujoco_version",
        "the MuJoCo that makes the steps: \"3.17.0\", \"4.0.1\", or \"installed\", which pip has")};
  }
  void Check() const {
    if (mujoco_version == mj_versionString()) return;
    throw std::invalid_argument("mujoco_version is '" + mujoco_version + "', but MuJoCo " +
                                mj_versionString() +
                                " makes the steps of this pool: make a pool for each version");
  }
};

}  // namespace parallel_pool::mujoco
