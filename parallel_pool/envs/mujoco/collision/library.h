// The parts of libmujoco that only its build for Linux offers to other libraries. Other systems
// make no Collider (engine/model_pairs.cc).
#pragma once

#include <mujoco/mujoco.h>

#include <cstdlib>

#ifdef __linux__

extern "C" {
// Whether two boxes are nearer than the margin: the test of the leaves of libmujoco's trees.
int mj_collideOBB(const mjtNum* aabb1, const mjtNum* aabb2, const mjtNum* xpos1,
                  const mjtNum* xmat1, const mjtNum* xpos2, const mjtNum* xmat2, mjtNum margin,
                  mjtNum* product, mjtNum* offset, mjtBool* initialize);
// The eigenvectors of a matrix of 3 x 3, to a tolerance.
int mju_eig3Tol(mjtNum* values, mjtNum* vectors, mjtNum* quat, const mjtNum* matrix,
                mjtNum tolerance);
}

namespace parallel_pool::mujoco::collision {

// The function that finds the contacts of two geoms; nullptr: such geoms never touch.
inline mjfCollision TouchOf(int type1, int type2) {
  return mjCOLLISIONFUNC[type1][type2];
}

}  // namespace parallel_pool::mujoco::collision

#else

inline int mj_collideOBB(const mjtNum*, const mjtNum*, const mjtNum*, const mjtNum*, const mjtNum*,
                         const mjtNum*, mjtNum, mjtNum*, mjtNum*, mjtBool*) {
  std::abort();
}
inline int mju_eig3Tol(mjtNum*, mjtNum*, mjtNum*, const mjtNum*, mjtNum) {
  std::abort();
}

namespace parallel_pool::mujoco::collision {

inline mjfCollision TouchOf(int, int) {
  std::abort();
}

}  // namespace parallel_pool::mujoco::collision

#endif
