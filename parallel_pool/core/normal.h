// Normal numbers, for envs whose Python reference draws them.
#pragma once

#include "parallel_pool/core/random.h"

namespace parallel_pool {

// numpy.random.Generator.standard_normal()
double Normal(Rng& rng);

}  // namespace parallel_pool
