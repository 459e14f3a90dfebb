// Python as the host of families.
#pragma once

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// The host that families of this process get. Needs the GIL and an imported NumPy.
const Host& PythonHost();

}  // namespace parallel_pool
