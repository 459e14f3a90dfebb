// The pictures of Tiles as a C function, for tiles_test.py (ctypes).
#include "parallel_pool/envs/minigrid/pictures/tiles.h"

using parallel_pool::minigrid::Color;
using parallel_pool::minigrid::Kind;
using parallel_pool::minigrid::LookOf;
using parallel_pool::minigrid::Tiles;

extern "C" const uint8_t* tile(int pixels, int kind, int color, int direction, bool is_lit) {
  return Tiles::OfSize(pixels).Picture(LookOf(static_cast<Kind>(kind), static_cast<Color>(color)),
                                       direction, is_lit);
}
