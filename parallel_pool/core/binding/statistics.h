// The running statistics of a pool's transforms, as tuples of Python.
#pragma once

#include <pybind11/pybind11.h>

#include "parallel_pool/core/engine/transforms.h"

namespace parallel_pool {

// (name, mean, var, count) of each array of observations, "obs" or "obs:left", and of "reward";
// what is not normalized is left out. mean and var are arrays of the dtype of the observations, or
// of float64 without axes.
pybind11::list ReadStatistics(Transforms& transforms, bool of_rewards);
// The same back: arrays of the same names, shapes and dtypes.
void WriteStatistics(Transforms& transforms, const pybind11::list& statistics);

}  // namespace parallel_pool
