// Pictures of worlds of one model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "parallel_pool/envs/mujoco/engine/simulation.h"
#include "parallel_pool/envs/mujoco/rendering/camera.h"

namespace parallel_pool::mujoco {

// What pictures are like.
struct RenderOptions {
  int width = 0, height = 0;  // in pixels
  int camera = kFreeCamera;
  FreeView view = {};  // of the free camera
  bool fast = false;   // coarse shadows, and edges that are not smoothed
};

// How the bytes of a picture lie: row by row from the top, three for each pixel, or one such plane
// for each of red, green and blue.
enum class Layout { kPixels, kPlanes };

// Draws with as many contexts of OpenGL as there are threads that draw at the same time. Threads
// may share it; it must outlive all calls.
class Renderer {
 public:
  // Nothing is opened yet.
  Renderer(Model model, const RenderOptions& look);
  ~Renderer();

  const RenderOptions& options() const { return options_; }
  size_t picture_bytes() const { return 3 * static_cast<size_t>(options_.width) * options_.height; }

  // Makes sure that it can draw. GlError if there is no OpenGL, MujocoError if it cannot draw this.
  void Open();

  // Writes the picture_bytes() of a picture. `middle` is what the free camera looks at, unless
  // its view is fixed. Errors as those of Open.
  void Draw(const Simulation& world, const Point3& middle, Layout layout, uint8_t* out);

 private:
  class Viewer;
  class Loan;

  const Model model_;
  const RenderOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Viewer>> idle_;
};

}  // namespace parallel_pool::mujoco
