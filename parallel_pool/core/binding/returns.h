// Returns of rollouts for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace parallel_pool {

// Adds the functions of core/learner/returns.h, for arrays of float32 and of float64. Results go
// into arrays of the caller. All arrays are contiguous and of the right shapes: Python checks them.
void AddReturns(pybind11::module_& m);

}  // namespace parallel_pool
