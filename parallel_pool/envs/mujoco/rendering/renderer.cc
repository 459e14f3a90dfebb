#include "parallel_pool/envs/mujoco/rendering/renderer.h"

#include <algorithm>
#include <utility>

#include "parallel_pool/envs/mujoco/engine/slim_model.h"
#include "parallel_pool/envs/mujoco/rendering/gl.h"

namespace parallel_pool::mujoco {
namespace {

// A lock for making and freeing contexts: MuJoCo counts them in a global variable, and loads
// OpenGL's functions when it makes the first.
std::mutex making_contexts;

constexpr int kMaxGeoms = 1000;    // drawn in addition to the model's own, such as markers
constexpr int kFastShadows = 512;  // pixels per side of the shadow map

mjvCamera CameraOf(const mjModel& model, const RenderOptions& look, const Point3& middle) {
  mjvCamera camera;
  mjv_defaultFreeCamera(&model, &camera);
  if (look.camera != kFreeCamera) {
    camera.type = mjCAMERA_FIXED;
    camera.fixedcamid = look.camera;
  } else if (const PictureStyle& style = look.style; !style.is_models) {
    mjv_defaultCamera(&camera);
    camera.distance = style.distance > 0 ? style.distance : model.stat.extent;
    camera.azimuth = style.azimuth;
    camera.elevation = style.elevation;
    std::copy_n(style.is_fixed ? style.place : middle.data(), 3, camera.lookat);
  }
  return camera;
}

// Copies a picture from MuJoCo's order of rows, bottom to top, to `layout`.
void Turn(const uint8_t* drawn, const RenderOptions& look, Layout layout, uint8_t* out) {
  const size_t row = 3 * static_cast<size_t>(look.width);
  for (int y = look.height - 1; y >= 0; --y) {
    const uint8_t* const from = drawn + y * row;
    if (layout == Layout::kPixels) {
      out = std::copy_n(from, row, out);
      continue;
    }
    const size_t plane = static_cast<size_t>(look.width) * look.height;
    for (int x = 0; x < look.width; ++x, ++out) {
      for (int color = 0; color < 3; ++color) out[color * plane] = from[3 * x + color];
    }
  }
}

}  // namespace

// An OpenGL context with MuJoCo's data for a model (textures, meshes).
class Renderer::Viewer {
 public:
  Viewer(const Model& model, const RenderOptions& look)
      : model_(model),
        options_(look),
        gl_(MakeGlContext()),
        drawn_(3 * static_cast<size_t>(look.width) * look.height) {
    mjv_defaultOption(&visual_options_);
    visual_options_.flags[mjVIS_RANGEFINDER] = look.style.shows_rangefinders;
    mjv_defaultPerturb(&perturbation_);
    mjv_defaultScene(&scene_);
    mjr_defaultContext(&context_);
    try {
      MakeContext(*WholeModel(model));
      mjv_makeScene(model.get(), &scene_, kMaxGeoms + static_cast<int>(model->ngeom));
    } catch (...) {
      Free();
      throw;
    }
  }
  ~Viewer() { Free(); }

  void Draw(const mjModel& model, mjData* drawn, const Point3& middle, const Paint& paint,
            Layout layout, uint8_t* out) {
    mjvCamera camera = CameraOf(model, options_, middle);
    mjv_updateScene(&model, drawn, &visual_options_, &perturbation_, &camera, mjCAT_ALL, &scene_);
    if (paint) paint(scene_);
    const mjrRect all = {0, 0, options_.width, options_.height};
    {
      const GlUse use(*gl_);
      if (model.hfield_data != model_->hfield_data) UploadHeights(model);
      mjr_render(all, &scene_, &context_);
      mjr_readPixels(drawn_.data(), nullptr, all, &context_);
    }
    Turn(drawn_.data(), options_, layout, out);
  }

 private:
  void MakeContext(const mjModel& model) {
    mjModel changed = model;  // shares all arrays
    changed.vis.global.offwidth = options_.width;
    changed.vis.global.offheight = options_.height;
    if (options_.fast) {
      changed.vis.quality.offsamples = 0;
      changed.vis.quality.shadowsize = std::min(changed.vis.quality.shadowsize, kFastShadows);
    }
    const GlUse use(*gl_);
    const std::lock_guard lock(making_contexts);
    mjr_makeContext(&changed, &context_, mjFONTSCALE_150);
    mjr_setBuffer(mjFB_OFFSCREEN, &context_);
  }

  // Heights of an env of its own: the context has those of another env, or the model's.
  void UploadHeights(const mjModel& model) {
    for (int i = 0; i < model.nhfield; ++i) mjr_uploadHField(&model, &context_, i);
  }

  // If BeginUse fails, the end of the OpenGL context frees its content.
  void Free() {
    mjv_freeScene(&scene_);
    try {
      const GlUse use(*gl_);
      const std::lock_guard lock(making_contexts);
      mjr_freeContext(&context_);
    } catch (const GlError&) {}
  }

  const Model& model_;
  const RenderOptions options_;
  const std::unique_ptr<GlContext> gl_;
  mjvOption visual_options_;
  mjvPerturb perturbation_;
  mjvScene scene_;
  mjrContext context_;
  std::vector<uint8_t> drawn_;  // a picture in MuJoCo's order
};

// Borrows an idle viewer, or makes a new one. After an exception the viewer is not given back.
class Renderer::Loan {
 public:
  explicit Loan(Renderer& of) : of_(of) {
    {
      const std::lock_guard lock(of_.mutex_);
      if (!of_.idle_.empty()) {
        viewer_ = std::move(of_.idle_.back());
        of_.idle_.pop_back();
      }
    }
    is_new_ = viewer_ == nullptr;
    if (is_new_) viewer_ = std::make_unique<Viewer>(of_.model_, of_.options_);
  }
  void GiveBack() {
    const std::lock_guard lock(of_.mutex_);
    of_.idle_.push_back(std::move(viewer_));
  }

  Viewer* operator->() const { return viewer_.get(); }
  bool is_new() const { return is_new_; }

 private:
  Renderer& of_;
  bool is_new_ = false;
  std::unique_ptr<Viewer> viewer_;
};

Renderer::Renderer(Model model, const RenderOptions& look)
    : model_(std::move(model)), options_(look) {}
Renderer::~Renderer() = default;

void Renderer::Open() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) return;
  }
  Loan(*this).GiveBack();
}

void Renderer::Draw(const mjModel& model, mjData* drawn, const Point3& middle, const Paint& paint,
                    Layout layout, uint8_t* out) {
  HandleErrors();
  for (;;) {
    Loan viewer(*this);
    try {
      viewer->Draw(model, drawn, middle, paint, layout, out);
    } catch (const GlError&) {
      if (viewer.is_new()) throw;
      continue;  // another library of the process has ended its OpenGL
    }
    return viewer.GiveBack();
  }
}

}  // namespace parallel_pool::mujoco
