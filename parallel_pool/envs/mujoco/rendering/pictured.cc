#include "parallel_pool/envs/mujoco/rendering/pictured.h"

#include <sstream>
#include <stdexcept>

#include "parallel_pool/core/load_once.h"

namespace parallel_pool::mujoco {
namespace {

constexpr const char* kQualities[] = {"full", "fast"};
constexpr Range kSides = {.min = 0, .max = 8192};  // sides of a picture, in pixels
constexpr int kAgentsSide = 84;                    // the default side of observed pictures

// camera_id and render_camera_id are one option with two names.
int CameraId(const PictureConfig& config) {
  if (config.camera_id == kFreeCamera) return config.render_camera_id;
  if (config.render_camera_id == kFreeCamera || config.render_camera_id == config.camera_id) {
    return config.camera_id;
  }
  throw std::invalid_argument("camera_id is " + std::to_string(config.camera_id) +
                              " and render_camera_id is " +
                              std::to_string(config.render_camera_id) + "; give one of them");
}

}  // namespace

Options<PictureConfig> PictureConfig::Describe(const PictureStyle& style) {
  using C = PictureConfig;
  const auto side = [](const char* which, int pixels) {
    return std::string(which) + " of a picture; 0: " + std::to_string(kAgentsSide) +
           " with from_pixels, else " + std::to_string(pixels);
  };
  return {
      Option<&C::from_pixels>("from_pixels", "observations are pictures, channels first"),
      Option<&C::frame_stack>("frame_stack", "pictures, or numbers of steps, in an observation",
                              {.min = 1, .max = 1000}),
      Option<&C::render_width>("render_width", side("width", style.width), kSides),
      Option<&C::render_height>("render_height", side("height", style.height), kSides),
      Option<&C::camera_id>("camera_id", "number of the model's camera; -1: the task's view",
                            {.min = -1}),
      Option<&C::camera_name>("camera_name", "name of the model's camera"),
      Option<&C::render_camera_id>("render_camera_id", "the same as camera_id", {.min = -1}),
      Option<&C::render_quality>("render_quality", "fast: coarse shadows, edges not smoothed",
                                 OneOf(kQualities)),
  };
}

void PictureConfig::Complete(const Model& model, const PictureStyle& style) {
  const int camera_number = CameraId(*this);
  const bool is_styles = camera_number == kFreeCamera && camera_name.empty() && style.camera;
  if (render_width == 0) render_width = from_pixels ? kAgentsSide : style.width;
  if (render_height == 0) render_height = from_pixels ? kAgentsSide : style.height;
  const RenderOptions look{
      .width = render_width,
      .height = render_height,
      .camera = FindCamera(*model, camera_number, is_styles ? style.camera : camera_name),
      .style = style,
      .fast = render_quality == kQualities[1]};
  std::ostringstream key;
  key << "renderer " << model.get() << ' ' << look.width << ' ' << look.height << ' ' << look.camera
      << ' ' << look.fast;
  renderer = LoadOnce<Renderer>(key.str(), [&] { return std::make_shared<Renderer>(model, look); });
}

}  // namespace parallel_pool::mujoco
