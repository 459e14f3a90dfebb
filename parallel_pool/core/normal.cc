#include "parallel_pool/core/normal.h"

#include "numpy/random/bitgen.h"

// Declared in libnpyrandom, whose header needs Python's.
extern "C" double random_standard_normal(bitgen_t* source);

namespace parallel_pool {
namespace {

Rng& RngOf(void* state) {
  return *static_cast<Rng*>(state);
}

}  // namespace

double Normal(Rng& rng) {
  bitgen_t source{&rng, [](void* state) { return RngOf(state).Next64(); },
                  [](void* state) { return RngOf(state).Next32(); },
                  [](void* state) { return RngOf(state).Random(); },
                  [](void* state) { return RngOf(state).Next64(); }};
  return random_standard_normal(&source);
}

}  // namespace parallel_pool
