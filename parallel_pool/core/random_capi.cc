// The functions of Rng as C functions, for random_test.py (ctypes).
#include "parallel_pool/core/random.h"

using parallel_pool::Rng;

extern "C" {
Rng* rng_new(uint64_t seed) {
  return new Rng(seed);
}
void rng_delete(Rng* rng) {
  delete rng;
}
double rng_random(Rng* rng) {
  return rng->Random();
}
double rng_uniform(Rng* rng, double low, double high) {
  return rng->Uniform(low, high);
}
int64_t rng_integers(Rng* rng, int64_t low, int64_t high) {
  return rng->Integers(low, high);
}
}
