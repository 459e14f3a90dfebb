// Tasks that a program describes in Python.
#pragma once

#include <pybind11/pybind11.h>

namespace parallel_pool {

// Adds describe() to the module.
void AddDescribe(pybind11::module_& m);

}  // namespace parallel_pool
