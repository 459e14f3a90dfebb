// Loops over integers that GCC turns into SIMD code with -O3, with which this file is compiled.
#pragma once

#include <cstdint>
#include <span>

namespace parallel_pool {

// Writes elements in `bits` bits each: 1, 2, 4 or 8. They are at least `low` and less than
// low + 2^bits. Eight elements become `bits` bytes, where the first has the lowest bits. The end is
// filled with zeros. T: bool, or an integer of 8 to 64 bits.
template <class T>
void PackBits(const T* elements, int64_t count, T low, int bits, char* to);

// Whether the numbers are 0, 1, 2, ...
bool AreCounted(std::span<const int32_t> numbers);

}  // namespace parallel_pool
