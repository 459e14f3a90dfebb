// terrain.h as a C function, for terrain_test.py (ctypes).
#include "parallel_pool/envs/mujoco/dm_control/terrain.h"

extern "C" void fill_terrain(const double* bumps, float* heights) {
  parallel_pool::mujoco::dm_control::FillTerrain(bumps, heights);
}
