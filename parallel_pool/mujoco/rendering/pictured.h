// Makes an env of this family one that draws itself for people and, if that is asked for, shows its
// agent pictures in place of numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/core/frame_stack.h"
#include "parallel_pool/mujoco/rendering/renderer.h"

namespace parallel_pool::mujoco {

// The options of pictures.
struct PictureConfig {
  bool from_pixels = false;
  int frame_stack = 1;
  int render_width = 0, render_height = 0;
  int camera_id = kFreeCamera, render_camera_id = kFreeCamera;
  std::string camera_name, render_quality = "full";
  std::shared_ptr<Renderer> renderer;  // shared by the envs of a pool; its sizes are never 0

  static Options<PictureConfig> Describe();
  // Makes `renderer`, and sets sizes that are 0. std::invalid_argument for options that do not go
  // together or with the model.
  void Complete(const Model& model, const FreeView& view);
};

// ViewOf<Env>::kView is how the free camera looks at a task.
template <class Env>
struct ViewOf;

// Of an Env with `const Simulation& robot() const`, a Config::model, a State::obs and Saved().
template <class Env>
class Pictured {
 public:
  struct Config : Env::Config, PictureConfig {};
  using Action = typename Env::Action;
  struct State : Env::State {
    View<uint8_t> pixels;  // in place of obs: the planes of frames, oldest first
  };

  static Options<Config> Describe() {
    Options<Config> options;
    for (const auto& option : Env::Describe()) options.push_back(option);
    for (const auto& option : PictureConfig::Describe()) options.push_back(option);
    return options;
  }
  static void Complete(Config& config) {
    Env::Complete(config);
    config.PictureConfig::Complete(config.model, ViewOf<Env>::kView);
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const auto own = Env::Describe(static_cast<const typename Env::Config&>(config));
    EnvSpec<Action, State> spec = {.action = own.action, .state = {}};
    for (const auto& array : own.state) {
      const bool is_seen = !config.from_pixels || array.name != kObs;
      spec.state.push_back(is_seen ? ArrayOf<State>(array) : Pixels(config));
    }
    return spec;
  }

  Pictured(const Config& config, Rng& rng, int env)
      : env_(internal::MakeEnv<Env>(config, rng, env)),
        renderer_(config.renderer),
        obs_size_(config.from_pixels ? ObsSize(config) : 0),
        frames_(config.frame_stack, config.from_pixels ? renderer_->picture_bytes() : 0) {
    if (config.from_pixels) renderer_->Open();
  }

  void Reset() {
    env_.Reset();
    middle_ = Middle(env_.robot());
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
    thread_local std::vector<Number> unseen;
    unseen.resize(obs_size_);
    typename Env::State rest = state;
    rest.obs = {unseen.data(), unseen.size()};
    env_.Observe(rest);
    frames_.CopyTo(state.pixels.data);
  }

  static ImageSize RenderSize(const Config& config) {
    return {config.renderer->look().height, config.renderer->look().width};
  }
  // As fast as the world moves, as Gymnasium has it.
  static int RenderFps(const Config& config) {
    const double dt = config.model->opt.timestep * config.frame_skip;  // s
    return static_cast<int>(std::clamp(std::rint(1 / dt), 0.0, 1e9));
  }
  void Render(View<uint8_t> rgb) const {
    renderer_->Draw(env_.robot(), middle_, Layout::kPixels, rgb.data);
  }

 private:
  static constexpr char kObs[] = "obs";
  using Number = typename decltype(Env::State::obs)::value_type;

  static ArrayOf<State> Pixels(const Config& config) {
    const Look& look = config.renderer->look();
    return Array<&State::pixels>(
        kObs, Box({3 * config.frame_stack, look.height, look.width}, {0}, {255}));
  }
  // Numbers that an agent would see.
  static size_t ObsSize(const Config& config) {
    size_t size = 0;
    for (const auto& array :
         Env::Describe(static_cast<const typename Env::Config&>(config)).state) {
      if (array.name == kObs) size = array.size;
    }
    return size;
  }

  bool shows_pixels() const { return obs_size_ > 0; }
  void Take() { renderer_->Draw(env_.robot(), middle_, Layout::kPlanes, frames_.Next()); }

  Env env_;
  const std::shared_ptr<Renderer> renderer_;
  const size_t obs_size_;  // 0: the agent is shown numbers
  FrameStack frames_;
  Place middle_ = {};  // of the model as the episode began
};

// Registers a family's envs as Pictured.
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
