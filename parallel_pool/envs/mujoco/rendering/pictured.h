// Wraps an env of this family. The wrapper gives its model numbers of its own (model_fields), draws
// it for people and, with from_pixels, observes a picture instead of numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/core/frame_stack.h"
#include "parallel_pool/envs/mujoco/engine/model_fields.h"
#include "parallel_pool/envs/mujoco/rendering/renderer.h"

namespace parallel_pool::mujoco {

// The options of pictures.
struct PictureConfig {
  bool from_pixels = false;
  int frame_stack = 1;
  int render_width = 0, render_height = 0;
  int camera_id = kFreeCamera, render_camera_id = kFreeCamera;
  std::string camera_name, render_quality = "full";
  std::shared_ptr<Renderer> renderer;  // shared by the envs of a pool; its sizes are never 0

  static Options<PictureConfig> Describe(const PictureStyle& style);
  // Makes `renderer`, once for all setups of a spec, and sets sizes that are 0. Throws
  // std::invalid_argument if options contradict each other or do not fit the model.
  void Complete(const Model& model, const PictureStyle& style);
};

// Wraps an Env with `const Simulation& simulation() const`, a Config::model, a Config::frame_skip,
// Saved(), and arrays "obs" or "obs:...". `static constexpr PictureStyle kStyle` in Env is
// optional.
template <class Env>
class Pictured {
 public:
  // The arrays of the observation that pixels replace.
  struct Hidden {
    std::vector<ArrayOf<typename Env::State>> arrays;
    size_t bytes = 0;  // bytes of one row of all arrays
  };
  struct Config : Env::Config, ModelFieldsConfig, PictureConfig {
    std::shared_ptr<const Hidden> hidden;  // nullptr without from_pixels
  };
  using Action = typename Env::Action;
  struct State : Env::State {
    View<uint8_t> pixels;  // the planes of frames, oldest first
  };

  static Options<Config> Describe() {
    Options<Config> options;
    for (const auto& option : Env::Describe()) options.push_back(option);
    for (const auto& option : ModelFieldsConfig::Describe()) options.push_back(option);
    for (const auto& option : PictureConfig::Describe(Style())) options.push_back(option);
    return options;
  }
  static void Complete(Config& config) {
    Env::Complete(config);
    config.PictureConfig::Complete(config.model, Style());
    config.model = WithFields(config.model, config.model_fields);
    if (config.from_pixels) config.hidden = Hide(config);
  }
  // With from_pixels, the picture replaces the first array of the observation; the others are left
  // out.
  static EnvSpec<Action, State> Describe(const Config& config) {
    const auto own = Env::Describe(static_cast<const typename Env::Config&>(config));
    EnvSpec<Action, State> spec = {.action = own.action, .state = {}};
    bool has_pixels = false;
    for (const auto& array : own.state) {
      if (!config.from_pixels || !IsObservation(array.name)) {
        spec.state.push_back(array);
      } else if (!std::exchange(has_pixels, true)) {
        spec.state.push_back(Pixels(config, array.name == "obs" ? "obs" : "obs:pixels"));
      }
    }
    return spec;
  }

  static bool IsDeterministic([[maybe_unused]] const Config& config) {
    if constexpr (requires { Env::IsDeterministic(config); }) return Env::IsDeterministic(config);
    return false;
  }

  Pictured(const Config& config, Rng& rng)
      : env_(config, rng),
        renderer_(config.renderer),
        hidden_(config.hidden),
        frames_(config.frame_stack, config.from_pixels ? renderer_->picture_bytes() : 0) {
    if (config.from_pixels) renderer_->Open();
  }

  void Seed(uint64_t seed)
    requires requires(Env& env) { env.Seed(seed); }
  {
    env_.Seed(seed);
  }
  void Reset() {
    env_.Reset();
    middle_ = Middle(env_.simulation());
    if (!shows_pixels()) return;
    Take();
    frames_.Repeat();
  }
  Outcome Step(const Action& action) {
    const Outcome outcome = env_.Step(action);
    if (shows_pixels()) Take();
    return outcome;
  }

  auto Saved() { return std::tuple_cat(env_.Saved(), std::tie(middle_, frames_)); }
  void Observe(const State& state) const {
    if (!shows_pixels()) return env_.Observe(state);
    thread_local std::vector<std::byte> unseen;
    unseen.resize(hidden_->bytes);
    typename Env::State rest = state;
    std::byte* next = unseen.data();
    for (const auto& array : hidden_->arrays) {
      array.Bind(rest, next);
      next += RoomFor(array.row_bytes);
    }
    env_.Observe(rest);
    frames_.CopyTo(state.pixels.data);
  }

  static ImageSize RenderSize(const Config& config) {
    return {config.renderer->options().height, config.renderer->options().width};
  }
  // The speed of the world, as in Gymnasium.
  static int RenderFps(const Config& config) {
    const double dt = config.model->opt.timestep * config.frame_skip;  // s
    return static_cast<int>(std::clamp(std::rint(1 / dt), 0.0, 1e9));
  }
  void Render(View<uint8_t> rgb) const {
    renderer_->Draw(env_.simulation(), middle_, Layout::kPixels, rgb.data);
  }

 private:
  static constexpr PictureStyle Style() {
    if constexpr (requires { Env::kStyle; }) return Env::kStyle;
    return {};
  }
  static bool IsObservation(const std::string& name) {
    return name == "obs" || name.starts_with("obs:");
  }
  // Rounds up to 8 bytes, so that the next array is aligned.
  static size_t RoomFor(size_t row_bytes) { return (row_bytes + 7) / 8 * 8; }
  static std::shared_ptr<const Hidden> Hide(const Config& config) {
    auto hidden = std::make_shared<Hidden>();
    const auto own = Env::Describe(static_cast<const typename Env::Config&>(config));
    for (const auto& array : own.state) {
      if (!IsObservation(array.name)) continue;
      hidden->arrays.push_back(array);
      hidden->bytes += RoomFor(array.row_bytes);
    }
    return hidden;
  }
  static ArrayOf<State> Pixels(const Config& config, const char* name) {
    const RenderOptions& options = config.renderer->options();
    return Array<&State::pixels>(
        name, Box({3 * config.frame_stack, options.height, options.width}, {0}, {255}));
  }

  bool shows_pixels() const { return hidden_ != nullptr; }
  void Take() { renderer_->Draw(env_.simulation(), middle_, Layout::kPlanes, frames_.Next()); }

  Env env_;
  const std::shared_ptr<Renderer> renderer_;
  const std::shared_ptr<const Hidden> hidden_;  // nullptr: the observation is numbers
  FrameStack frames_;
  Point3 middle_ = {};  // the middle of the model at the episode's begin
};

// Registers envs as Pictured.
class PicturedRegistry {
 public:
  explicit PicturedRegistry(Registry& all) : all_(all) {}

  template <class Env>
  void Add(std::string id, TaskOptions options, typename Env::Config defaults = {}) const {
    typename Pictured<Env>::Config all_defaults;
    static_cast<typename Env::Config&>(all_defaults) = std::move(defaults);
    all_.Add<Pictured<Env>>(std::move(id), options, std::move(all_defaults));
  }

 private:
  Registry& all_;
};

}  // namespace parallel_pool::mujoco
