// Pictures of worlds of one model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "parallel_pool/envs/mujoco/engine/simulation.h"
#include "parallel_pool/envs/mujoco/rendering/camera.h"

namespace parallel_pool::mujoco {

// The format of pictures.
struct RenderOptions {
  int width = 0, height = 0;  // in pixels
  int camera = kFreeCamera;
  PictureStyle style = {};
  bool fast = false;  // coarse shadows, and edges that are not smoothed
};

// The memory layout of a picture: row by row from the top, with three bytes for each pixel, or one
// such plane for each of red, green and blue.
enum class Layout { kPixels, kPlanes };

// Draws with as many OpenGL contexts as threads draw at the same time. A thread borrows a context
// for one picture (rendering/README.md says why). Threads may share the renderer.
class Renderer {
 public:
  // Opens no context yet.
  Renderer(Model model, const RenderOptions& look);
  ~Renderer();

  const RenderOptions& options() const { return options_; }
  size_t picture_bytes() const { return 3 * static_cast<size_t>(options_.width) * options_.height; }

  // Checks that it can draw. Throws GlError if there is no OpenGL, MujocoError if it cannot draw
  // the model.
  void Open();

  // Writes the picture_bytes() of a picture. The free camera looks at `middle`, unless its view is
  // fixed. `paint`, if any, changes the scene before it is drawn. Throws the errors of Open.
  using Paint = std::function<void(mjvScene&)>;
  void Draw(const mjModel& model, mjData* drawn, const Point3& middle, const Paint& paint,
            Layout layout, uint8_t* out);

 private:
  class Viewer;
  class Loan;

  const Model model_;
  const RenderOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Viewer>> idle_;
};

}  // namespace parallel_pool::mujoco
