// Loads families: shared libraries that export parallel_pool_family (see plugin.h).
#pragma once

#include <string>

#include "parallel_pool/core/host.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// Loads the family of the library at `path`, and tells it about `host`. Throws
// std::runtime_error with the reason if it cannot be loaded or was built for another version of the
// engine. Families are never unloaded.
const Family& LoadFamily(const std::string& path, const Host& host = internal::kNoHost);

}  // namespace parallel_pool
