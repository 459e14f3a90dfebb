// Guards the rows of a task's envs: parallel_pool.check plays with it. An env whose Observe writes
// outside of its row fails, and the message names the array and the element.
//
//   | guard | row of obs | guard | row of info:hits | guard |    Observe writes here, then the rows
//                                                              are copied to the batch
#pragma once

#include <memory>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// `setup` with guarded envs. Everything else is as in `setup`.
std::shared_ptr<Setup> Guarded(std::shared_ptr<const Setup> setup);

}  // namespace parallel_pool
