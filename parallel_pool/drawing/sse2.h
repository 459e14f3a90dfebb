// The functions of SSE2, which are for x86-64. On other processors SIMDe has the same ones, made of
// the instructions that are there.
#pragma once

#if defined(__x86_64__)
#include <emmintrin.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/sse2.h>
#endif
