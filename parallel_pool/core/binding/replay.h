// The rows of replay buffers for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace parallel_pool {

// Adds _core.ReplayRows: core/learner/replay_rows.h over arrays of Python, which it keeps alive.
// Arrays are contiguous; those of rings have lines * length rows. Wrong sizes raise ValueError.
void AddReplay(pybind11::module_& m);

}  // namespace parallel_pool
