// Wraps an env of this family. The wrapper gives its model numbers of its own (model_fields), draws
// it for people and, with from_pixels, observes the last pictures instead of numbers. The
// frame_stack of numbers is the pool's stack_num (parallel_pool/python/specs/wrappers.py).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/core/frame_stack.h"
#include "parallel_pool/envs/mujoco/engine/advance.h"
#include "parallel_pool/envs/mujoco/engine/model_fields.h"
#include "parallel_pool/envs/mujoco/engine/version_option.h"
#include "parallel_pool/envs/mujoco/rendering/bodies.h"
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

// The options of a reset, if the Env has any.
template <class Env>
struct WithResetOptions {};
template <class Env>
  requires internal::kTakesResetOptions<Env>
struct WithResetOptions<Env> {
  using ResetOptions = typename Env::ResetOptions;
};

// Wraps an Env with a Config::model, a Config::frame_skip, Saved(), arrays "obs" or "obs:...", and
//
//   const Simulation& simulation() const;
//   Simulation& Act(const Action&);  // a step: holds an action in the env's world, which is then
//   Outcome Judge(const Action&);    // advanced with those of other envs; Judge sees the result
//   static constexpr PictureStyle kStyle;  // optional
//   static PictureStyle StyleOf(const Config&);  // optional: where the view depends on options
//   static unsigned ReadsOf(const Config&);  // optional: the arrays that it reads after a step
//   void Mark(mjData&) const;  // optional: moves what only pictures show, such as a goal, in a
//                              // copy of its data
//   void Paint(mjvScene&) const;  // optional: changes colors in a picture
//   static constexpr bool kHasPlayers;  // optional: whether arrays are PerPlayer
template <class Env>
class Pictured : public WithResetOptions<Env> {
 public:
  // The arrays of the observation that pixels replace.
  struct Hidden {
    std::vector<ArrayOf<typename Env::State>> arrays;
    size_t bytes = 0;  // of one row of all of them
  };
  struct Config : Env::Config, ModelFieldsConfig, VersionConfig, PictureConfig {
    std::shared_ptr<const Hidden> hidden;  // nullptr if the observation is the env's own
  };
  using Action = typename Env::Action;
  struct State : Env::State {
    View<uint8_t> pixels;  // the planes of frames, oldest first
  };

  static Options<Config> Describe() {
    Options<Config> options;
    for (const auto& option : Env::Describe()) options.push_back(option);
    for (const auto& option : ModelFieldsConfig::Describe()) options.push_back(option);
    for (const auto& option : VersionConfig::Describe()) options.push_back(option);
    for (const auto& option : PictureConfig::Describe(Style())) {
      // A picture, or frames, would be of the env as a whole, and not of a player.
      const bool is_observed = option.name == "from_pixels" || option.name == "frame_stack";
      if (!is_observed || !kHasPlayers) options.push_back(option);
    }
    return options;
  }
  static void Complete(Config& config) {
    config.VersionConfig::Check();
    Env::Complete(config);
    config.PictureConfig::Complete(config.model, Style(config));
    config.model = WithFields(config.model, config.model_fields);
    if (config.from_pixels) config.hidden = Hide(config);
  }
  // With from_pixels, the picture replaces the first array of the observation; the others are left
  // out.
  static EnvSpec<Action, State> Describe(const Config& config) {
    const auto own = Env::Describe(static_cast<const typename Env::Config&>(config));
    EnvSpec<Action, State> spec = {.action = own.action, .state = {}, .players = own.players};
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
        frames_(config.frame_stack, hidden_ ? renderer_->picture_bytes() : 0) {
    if (hidden_) renderer_->Open();
  }

  void Seed(uint64_t seed)
    requires requires(Env& env) { env.Seed(seed); }
  {
    env_.Seed(seed);
  }
  void Reset()
    requires(!internal::kTakesResetOptions<Env>)
  {
    env_.Reset();
    BeginPictures();
  }
  void Reset(const internal::ResetOptionsOf<Env>::type& options)
    requires internal::kTakesResetOptions<Env>
  {
    env_.Reset(options);
    BeginPictures();
  }
  static int GoalSize(const Config& config)
    requires internal::kHasGoals<Env>
  {
    return Env::GoalSize(config);
  }
  static Outcome JudgeGoal(const Config& config, const double* achieved, const double* desired)
    requires internal::kHasGoals<Env>
  {
    return Env::JudgeGoal(config, achieved, desired);
  }
  // A step of several envs.
  static void StepChunk(Chunk<Pictured>& chunk) {
    std::array<Simulation*, kMaxChunk> worlds;  // of the envs that have not failed
    size_t n = 0;
    chunk.ForEach([&](int i) { worlds[n++] = &chunk.env(i).Act(chunk.action(i)); });
    Advance({worlds.data(), n});
    n = 0;
    chunk.ForEach([&](int i) {
      worlds[n++]->Finish();
      chunk.outcome(i) = chunk.env(i).Judge(chunk.action(i));
    });
  }
  static int ChunkSize(const Config& config) { return BestChunk(config.model, ReadsOf(config)); }
  static std::string Remark(const Config& config) {
    return mujoco::Remark(config.model, ReadsOf(config));
  }
  // The two parts of a step, as those of Env.
  Simulation& Act(const Action& action) { return env_.Act(action); }
  Outcome Judge(const Action& action) {
    const Outcome outcome = env_.Judge(action);
    if (hidden_ != nullptr) Draw(Layout::kPlanes, frames_.Next());
    return outcome;
  }

  auto Saved() { return std::tuple_cat(env_.Saved(), std::tie(middle_, frames_)); }
  void Observe(const State& state) const {
    if (hidden_ == nullptr) return env_.Observe(state);
    typename Env::State rest = state;
    BindAll(hidden_->arrays, Unseen(hidden_->bytes), rest);
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
  void Render(View<uint8_t> rgb) const { Draw(Layout::kPixels, rgb.data); }
  void GetBodies(bool with_shapes, BodyReceiver& bodies) const {
    TellBodies(env_.simulation().model(), *Drawn(), with_shapes, bodies);
  }

 private:
  static unsigned ReadsOf([[maybe_unused]] const Config& config) {
    if constexpr (requires { Env::ReadsOf(config); }) return Env::ReadsOf(config);
    return kNothing;
  }
  static constexpr bool kHasPlayers = requires { Env::kHasPlayers; };
  static constexpr PictureStyle Style() {
    if constexpr (requires { Env::kStyle; }) return Env::kStyle;
    return {};
  }
  static PictureStyle Style([[maybe_unused]] const Config& config) {
    if constexpr (requires { Env::StyleOf(config); }) return Env::StyleOf(config);
    return Style();
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
  // Memory for arrays that are observed and not shown. Each thread has its own.
  static std::byte* Unseen(size_t bytes) {
    thread_local std::vector<std::byte> unseen;
    unseen.resize(std::max(unseen.size(), bytes));
    return unseen.data();
  }
  // Binds arrays to memory, one after another.
  static void BindAll(const std::vector<ArrayOf<typename Env::State>>& arrays, std::byte* memory,
                      typename Env::State& state) {
    for (const auto& array : arrays) {
      array.Bind(&state, memory);
      memory += RoomFor(array.row_bytes);
    }
  }
  static ArrayOf<State> Pixels(const Config& config, const char* name) {
    const RenderOptions& options = config.renderer->options();
    return Array<&State::pixels>(
        name, Box({3 * config.frame_stack, options.height, options.width}, {0}, {255}));
  }

  void BeginPictures() {
    middle_ = Middle(env_.simulation());
    if (hidden_ == nullptr) return;
    Draw(Layout::kPlanes, frames_.Next());
    frames_.Repeat();
  }
  // The world as pictures show it.
  mjData* Drawn() const {
    const Simulation& world = env_.simulation();
    if constexpr (requires(mjData& data) { env_.Mark(data); }) {
      mjData* const drawn = world.copy_for_drawing();
      env_.Mark(*drawn);
      return drawn;
    } else {
      return world.for_drawing();
    }
  }
  void Draw(Layout layout, uint8_t* rgb) const {
    mjData* const drawn = Drawn();
    Renderer::Paint paint;
    if constexpr (requires(mjvScene& scene) { env_.Paint(scene); }) {
      paint = [this](mjvScene& scene) { env_.Paint(scene); };
    }
    renderer_->Draw(env_.simulation().model(), drawn, middle_, paint, layout, rgb);
  }

  Env env_;
  const std::shared_ptr<Renderer> renderer_;
  const std::shared_ptr<const Hidden> hidden_;  // nullptr: the observation is the env's own
  FrameStack frames_;
  Point3 middle_ = {};  // the middle of the model at the episode's begin
};

// Registers envs as Pictured.
class PicturedRegistry {
 public:
  explicit PicturedRegistry(Registry& all) : all_(all) {}

  template <class Env>
  void Add(std::string id, TaskDefaults options, typename Env::Config defaults = {}) const {
    typename Pictured<Env>::Config all_defaults;
    static_cast<typename Env::Config&>(all_defaults) = std::move(defaults);
    all_.Add<Pictured<Env>>(std::move(id), std::move(options), std::move(all_defaults));
  }

 private:
  Registry& all_;
};

}  // namespace parallel_pool::mujoco
