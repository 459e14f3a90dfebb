// The functions of Rng and RandomState as C functions, for random_test.py and random_state_test.py
// (ctypes).
#include <span>

#include "parallel_pool/core/random.h"
#include "parallel_pool/core/random_state.h"

using parallel_pool::RandomState;
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
void rng_shuffle(Rng* rng, int64_t* x, uint64_t size) {
  rng->Shuffle(std::span(x, size));
}
void rng_permutation(Rng* rng, int64_t* x, uint64_t size) {
  rng->Permutation(std::span(x, size));
}
void rng_choose(Rng* rng, int64_t n, int64_t* x, uint64_t size) {
  rng->Choose(n, std::span(x, size));
}

RandomState* state_new(uint64_t seed) {
  return new RandomState(seed);
}
// A copy by way of the members that are saved.
RandomState* state_copy(RandomState* other) {
  auto* const copy = new RandomState;
  copy->Saved() = other->Saved();
  return copy;
}
void state_delete(RandomState* state) {
  delete state;
}
double state_random(RandomState* state) {
  return state->Random();
}
double state_uniform(RandomState* state, double low, double high) {
  return state->Uniform(low, high);
}
double state_normal(RandomState* state) {
  return state->Normal();
}
uint32_t state_integer(RandomState* state, uint64_t n) {
  return state->Integer(n);
}
int state_choice(RandomState* state, const double* p) {
  return state->Choice<3>({p[0], p[1], p[2]});
}
}
