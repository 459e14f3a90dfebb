// Loads families: shared libraries that export parallel_pool_family (see plugin.h).
#pragma once

#include <string>

#include "parallel_pool/core/arithmetic.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// Loads the family of the library at `path`, which computes with `arithmetic`. Throws
// std::runtime_error with the reason if it cannot be loaded or was built for another version of the
// engine. Families are never unloaded.
const Family& LoadFamily(const std::string& path,
                         const Arithmetic& arithmetic = internal::kPlainArithmetic);

}  // namespace parallel_pool
