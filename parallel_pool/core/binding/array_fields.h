// Arrays of an env as tuples of Python: the fields of array_spec.ArraySpec.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "parallel_pool/core/engine/column.h"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/workers/runtime_setup.h"

namespace parallel_pool {

pybind11::tuple Fields(const Column& column, const char* meanings);
pybind11::list ArrayFields(Span<ArraySpec> specs);
// And back.
std::vector<DescribedArray> ToArrays(const pybind11::list& fields);

// The name, the role, and the player's own arrays: actions, then states.
pybind11::list PlayerFields(Span<PlayerSpec> players);

// The setup of several tasks (engine/joined.h). `parts`: (setup, number of envs, places of its
// action arrays, places of its state arrays) of each. `action` and `state`: for each array of the
// pool its fields, what it contains ("parts", "task", "mask" or "shape"), and for "shape" of which
// array.
std::shared_ptr<Setup> Join(const std::string& id, const pybind11::list& parts,
                            const pybind11::list& action, const pybind11::list& state);

// The setup of wrapped envs (engine/wrapped.h). `action`: (fields, low, high, gradient, intercept)
// of each array; `state`: the fields of each array; `parts`: the members of WrappedPart.
std::shared_ptr<Setup> Wrap(const std::shared_ptr<Setup>& setup, const pybind11::list& action,
                            const pybind11::list& state, const pybind11::list& parts);

}  // namespace parallel_pool
