// The terrain of quadruped's escape: a bowl with smooth random bumps.
#pragma once

namespace parallel_pool::mujoco::dm_control {

// Points of the heightfield and random numbers, both in each of two directions.
inline constexpr int kTerrainPoints = 201, kBumps = 30;

// Writes the heights of all points, row by row, as parts of the heightfield's height. They are the
// bowl times scipy.ndimage.zoom(bumps), rounded to float32; `bumps` has kBumps rows of kBumps
// numbers.
void FillTerrain(const double* bumps, float* heights);

}  // namespace parallel_pool::mujoco::dm_control
