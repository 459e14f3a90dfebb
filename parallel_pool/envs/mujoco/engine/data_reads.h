// The stages of a step that each array of mjData needs.
#pragma once

#include <string_view>

namespace parallel_pool::mujoco {

// The lanes::Reads of the array with this name. Only mj_step computes an array that is not listed.
unsigned ReadsOf(std::string_view name);

}  // namespace parallel_pool::mujoco
