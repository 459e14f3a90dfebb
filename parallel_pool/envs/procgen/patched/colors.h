// Pixels of Qt as the bytes of an observation.
#pragma once

#include <cstdint>

namespace parallel_pool::procgen {

// Writes pixels of 0xffRRGGBB as red, green, blue of each, or as all reds, all greens, all blues.
// `count` is a multiple of 16.
void WriteColors(const uint32_t* pixels, int count, uint8_t* rgb);
void WritePlanes(const uint32_t* pixels, int count, uint8_t* planes);

}  // namespace parallel_pool::procgen
