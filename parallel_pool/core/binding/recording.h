// Recordings of pools, and their replay, for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace parallel_pool {

// Adds the class Replayer.
void AddReplayer(pybind11::module_& m);

}  // namespace parallel_pool
