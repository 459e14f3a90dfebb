// Reads the arguments of a pool's calls that are no arrays. The caller holds the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "parallel_pool/core/binding/named_arrays.h"

namespace parallel_pool {

// The env ids of a call: the argument env_id, or the entry "env_id" of an action dict.
pybind11::object EnvIdOf(const std::string& task, NamedArrays* named, pybind11::handle env_id);

// Seconds, or nothing for None.
std::optional<double> ReadTimeout(const std::string& task, pybind11::handle timeout);

// The TimeoutError of recv() after so many seconds.
[[noreturn]] void TimeOut(const std::string& task, double seconds);

// An advice for a call without env_id that an async pool refused: it was for all envs, and the user
// means the `idle` ones.
std::string NameIdleEnvs(std::span<const int32_t> idle);

}  // namespace parallel_pool
