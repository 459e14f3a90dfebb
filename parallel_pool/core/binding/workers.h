// Worker processes for Python: the task that they describe, and both sides of a pool of them.
#pragma once

#include <pybind11/pybind11.h>

namespace parallel_pool {

// Adds describe(), end_with(), Processes and Worker to the module.
void AddWorkers(pybind11::module_& m);

}  // namespace parallel_pool
