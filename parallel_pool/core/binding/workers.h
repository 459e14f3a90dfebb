// Envs in Python: in worker processes, and in the pool's process.
#pragma once

#include <pybind11/pybind11.h>

namespace parallel_pool {

// Adds end_with(), PoolHost, WorkerHost, Worker and LocalEnvs to the module.
void AddWorkers(pybind11::module_& m);

}  // namespace parallel_pool
