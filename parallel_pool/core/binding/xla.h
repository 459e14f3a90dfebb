// The functions of _core for parallel_pool.jax.
#pragma once

#include <pybind11/pybind11.h>

namespace parallel_pool {

void AddXla(pybind11::module_& m);

}  // namespace parallel_pool
