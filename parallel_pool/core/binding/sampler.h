// Random actions for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace parallel_pool {

// Adds _core.ActionSampler.
void AddSampler(pybind11::module_& m);

}  // namespace parallel_pool
