// The functions of the installed NumPy, without Python around them.
#pragma once

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// NumPy chooses its functions for this processor, and for environment variables such as
// NPY_DISABLE_CPU_FEATURES, when it is imported. So does its BLAS. The result therefore does not
// change. Needs the GIL and an imported NumPy; the functions in it need neither.
const Arithmetic& InstalledArithmetic();

}  // namespace parallel_pool
