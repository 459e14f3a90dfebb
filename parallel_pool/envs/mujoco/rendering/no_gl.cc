// For systems without EGL and OSMesa.
#include "parallel_pool/envs/mujoco/rendering/gl.h"

namespace parallel_pool::mujoco {

std::unique_ptr<GlContext> MakeGlContext() {
  throw GlError(
      "pixels need OpenGL without a screen, which ParallelPool has on Linux only; WSL 2 and Docker "
      "run Linux");
}

}  // namespace parallel_pool::mujoco
