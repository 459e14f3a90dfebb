// Guards the rows of a task's envs: parallel_pool.check plays with it. An env whose Observe writes
// outside of its row fails, and the message names the array and the element.
//
//   | guard | row of obs | guard | row of info:hits | guard |    Observe writes here, then the rows
//                                                              are copied to the batch
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// Says what an env does now. In memory that outlives the process, it says which env has ended it.
struct EnvMark {
  enum Doing : int32_t { kNothing, kCreate, kTurn, kObserve };
  std::atomic<int32_t> doing;
  std::atomic<int32_t> turn;  // resets and steps before: 0 in the first reset
  std::atomic<int32_t> changes;
};

// `setup` with guarded envs. Everything else is as in `setup`. `marks`: one for each env of every
// group that is made, which the group writes; nullptr: none. With `one_by_one`, envs of a chunk are
// stepped alone.
std::shared_ptr<Setup> Guarded(std::shared_ptr<const Setup> setup, EnvMark* marks = nullptr,
                               bool one_by_one = false);

}  // namespace parallel_pool
