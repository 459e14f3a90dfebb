// Envs for tests of the engine only: each does one thing that users' envs may do.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "parallel_pool/core/env.h"
#include "parallel_pool/core/testing/crowd.h"
#include "parallel_pool/core/testing/faulty.h"
#include "parallel_pool/core/testing/game.h"
#include "parallel_pool/core/testing/herd.h"
#include "parallel_pool/core/testing/lesson.h"
#include "parallel_pool/core/testing/words.h"

namespace parallel_pool::testing {
namespace {

// Observes its own action, through arrays of every dtype, nested and of several shapes.
class Echo {
 public:
  struct Config {
    int32_t size = 3;
    double gain = 1.0;
    bool flip = false;
    std::string color = "red";
    IntRange repeats = {1, 2};
    std::string style = "plain";
  };
  struct Action {
    View<const int32_t> choice;
    View<const float> force;
    View<const double> exact;
    View<const uint8_t> byte;
    View<const int64_t> wide;
  };
  struct State {
    View<int32_t> choice;
    View<float> force;
    View<double> exact;
    View<uint8_t> byte;
    View<int64_t> wide;
    View<bool> flip;
    View<uint8_t> color;
  };

  static constexpr const char* kStyles[] = {"plain", "bold"};
  static Options<Config> Describe() {
    return {Option<&Config::size>("size", "elements of force, 1 to 100", {.min = 1, .max = 100}),
            Option<&Config::gain>("gain", "force is multiplied by it"),
            Option<&Config::flip>("flip", "the value of obs.flags.flip"),
            Option<&Config::color>("color", "red or blue"),
            Option<&Config::repeats>("repeats", "numbers from 1 to 9", {.min = 1, .max = 9}),
            Option<&Config::style>("style", "bold: blue, twice the gain", OneOf(kStyles))};
  }
  static void Complete(Config& config) {
    if (config.style != "bold") return;
    config.color = "blue";
    config.gain *= 2;
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    if (config.color != "red" && config.color != "blue") {
      throw std::invalid_argument("color is '" + config.color + "'; allowed are red and blue");
    }
    const Space force = Box({config.size}, {-1}, {1});
    const Space grid = Box({2, 2}, {-kInf}, {kInf});
    return {.action = {Array<&Action::choice>("choice", Discrete(3)),
                       Array<&Action::force>("motor.force", force),
                       Array<&Action::exact>("motor.exact", grid),
                       Array<&Action::byte>("byte", Box({}, {0}, {9})),
                       Array<&Action::wide>("wide", Box({2}, {0, -5}, {0x1p50, 5}))},
            .state = {Array<&State::choice>("obs:choice", Discrete(3)),
                      Array<&State::force>("obs:motor.force", force),
                      Array<&State::exact>("obs:motor.exact", grid),
                      Array<&State::byte>("obs:byte", Box({}, {0}, {9})),
                      Array<&State::wide>("obs:wide", Box({2}, {0, -5}, {0x1p50, 5})),
                      Array<&State::flip>("obs:flags.flip", Box({}, {0}, {1})),
                      Array<&State::color>("info:paint.color", Box({3}, {0}, {255}))}};
  }

  Echo(const Config& config, Rng&) : config_(config) { force_.resize(config.size); }

  void Reset() {
    choice_ = 0;
    byte_ = 0;
    wide_[0] = wide_[1] = 0;
    std::fill(force_.begin(), force_.end(), 0.0f);
    std::fill(exact_, exact_ + 4, 0.0);
  }
  Outcome Step(const Action& action) {
    choice_ = *action.choice;
    byte_ = *action.byte;
    for (size_t i = 0; i < force_.size(); ++i) {
      force_[i] = static_cast<float>(action.force[i] * config_.gain);
    }
    std::copy(action.exact.begin(), action.exact.end(), exact_);
    std::copy(action.wide.begin(), action.wide.end(), wide_);
    return {.reward = 0.5 * choice_, .discount = 0.9f};
  }
  auto Saved() { return std::tie(choice_, byte_, force_, exact_, wide_); }
  void Observe(const State& state) const {
    *state.choice = choice_;
    *state.byte = byte_;
    *state.flip = config_.flip;
    std::copy(force_.begin(), force_.end(), state.force.begin());
    std::copy(exact_, exact_ + 4, state.exact.begin());
    std::copy(wide_, wide_ + 2, state.wide.begin());
    state.color.Assign(config_.color == "red" ? 255 : 0, 0, config_.color == "blue" ? 255 : 0);
  }

 private:
  const Config config_;
  int32_t choice_ = 0;
  uint8_t byte_ = 0;
  std::vector<float> force_;
  double exact_[4];
  int64_t wide_[2];
};

// Counts its steps; its action selects a fault.
class Trouble {
 public:
  enum { kFine, kThrow, kEnd, kThrowInObserve, kSleep, kEndInObserve, kEndInReset };
  struct Config {
    int32_t lives = 1;
    int32_t sleep_ms = 0;
    bool refuse = false;
    bool episode_continues = false;
    int32_t limit = 0;
    int32_t max_builds = 0;
    std::shared_ptr<std::atomic<int>> builds;  // constructors so far, of all envs of a spec
  };
  struct Action { View<const int32_t> what; };
  struct State {
    View<double> obs;  // steps since the reset, a random number drawn at the reset
    View<int32_t> lives;
  };

  static Options<Config> Describe() {
    return {Option<&Config::lives>("lives", "terminations until a new world", {.min = 1}),
            Option<&Config::sleep_ms>("sleep_ms", "how long action 4 takes", {.min = 0}),
            Option<&Config::refuse>("refuse", "the constructor throws"),
            Option<&Config::episode_continues>("episode_continues",
                                               "an end is shown and does not end the episode"),
            Option<&Config::limit>("limit", "steps until the env truncates; 0: never", {.min = 0}),
            Option<&Config::max_builds>("max_builds", "constructors that do not throw; 0: all",
                                        {.min = 0})};
  }
  static void Complete(Config& config) {
    config.builds =
        LoadOnce<std::atomic<int>>("builds", [] { return std::make_shared<std::atomic<int>>(0); });
  }
  static EnvSpec<Action, State> Describe(const Config&) {
    return {.action = {Array<&Action::what>("action", Discrete(7))},
            .state = {Array<&State::obs>("obs", Box({2}, {0}, {kInf})),
                      Array<&State::lives>("info:lives", Box({}, {0}, {kInf}))}};
  }

  Trouble(const Config& config, Rng& rng) : config_(config), rng_(rng) {
    const bool is_spent = ++*config.builds > config.max_builds && config.max_builds > 0;
    if (config.refuse || is_spent) throw std::runtime_error("no such device");
  }

  void Reset() {
    if (std::exchange(is_stuck_, false)) throw std::runtime_error("the door is stuck");
    steps_ = 0;
    lives_ = config_.lives;
    draw_ = rng_.Random();
    broken_ = false;
  }
  bool Continue() { return lives_ > 0; }
  Outcome Step(const Action& action) {
    ++steps_;
    if (*action.what == kThrow) throw std::runtime_error("the motor broke");
    broken_ = *action.what == kThrowInObserve || *action.what == kEndInObserve;
    is_stuck_ = *action.what == kEndInReset;
    if (*action.what == kSleep) {
      std::this_thread::sleep_for(std::chrono::milliseconds(config_.sleep_ms));
    }
    const bool end =
        *action.what == kEnd || *action.what == kEndInObserve || *action.what == kEndInReset;
    if (end) --lives_;
    return {.reward = 1.0,
            .terminated = end,
            .truncated = config_.limit > 0 && steps_ >= config_.limit,
            .episode_continues = config_.episode_continues};
  }
  auto Saved() { return std::tie(steps_, lives_, draw_, broken_, is_stuck_); }
  void Observe(const State& state) const {
    if (broken_) throw std::runtime_error("the camera broke");
    state.obs.Assign(steps_, draw_);
    *state.lives = lives_;
  }
  static int RenderFps(const Config& config) { return 10 * config.lives; }
  static ImageSize RenderSize(const Config& config) { return {2, config.lives}; }
  // Each pixel: steps, lives left, number of the pixel.
  void Render(View<uint8_t> rgb) const {
    if (broken_) throw std::runtime_error("the lamp broke");
    for (size_t i = 0; i < rgb.size / 3; ++i) {
      rgb[3 * i] = static_cast<uint8_t>(steps_);
      rgb[3 * i + 1] = static_cast<uint8_t>(lives_);
      rgb[3 * i + 2] = static_cast<uint8_t>(i);
    }
  }
  std::string RenderText() const {
    if (broken_) throw std::runtime_error("the pen broke");
    return "step " + std::to_string(steps_);
  }

 private:
  const Config config_;
  Rng& rng_;
  int steps_ = 0, lives_ = 0;
  double draw_ = 0;
  bool broken_ = false;    // Observe throws until the next world
  bool is_stuck_ = false;  // the next Reset throws
};

// A row of any size, filled with the number of steps since the reset.
class Bytes {
 public:
  struct Config { int32_t row_bytes = 1; };
  struct Action { View<const int32_t> unused; };
  struct State { View<uint8_t> obs; };

  static Options<Config> Describe() {
    return {Option<&Config::row_bytes>("row_bytes", "size of an observation", {.min = 1})};
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    return {.action = {Array<&Action::unused>("action", Discrete(1))},
            .state = {Array<&State::obs>("obs", Box({config.row_bytes}, {0}, {255}))}};
  }

  Bytes(const Config&, Rng&) {}
  void Reset() { steps_ = 0; }
  Outcome Step(const Action&) {
    ++steps_;
    return {};
  }
  void Observe(const State& state) const { std::fill(state.obs.begin(), state.obs.end(), steps_); }

 private:
  uint8_t steps_ = 0;
};

// Observes x / x for its action x, which is 1, or NaN for 0.
class Ratio {
 public:
  struct Action { View<const int32_t> x; };
  struct State { View<float> obs; };

  static EnvSpec<Action, State> Describe(const NoConfig&) {
    return {.action = {Array<&Action::x>("action", Discrete(3))},
            .state = {Array<&State::obs>("obs", Box({2}, {0}, {kInf}))}};
  }

  explicit Ratio(Rng&) {}
  void Reset() { ratio_ = 1.0; }
  Outcome Step(const Action& action) {
    ratio_ = static_cast<double>(*action.x) / *action.x;
    return {.reward = ratio_};
  }
  void Observe(const State& state) const { state.obs.Assign(ratio_, 2.0); }

 private:
  double ratio_ = 0;
};

}  // namespace

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<Echo>("Echo-v0", {.max_episode_steps = 100});
  registry.Add<Trouble>("Trouble-v0", {.max_episode_steps = 100});
  registry.Add<Bytes>("Bytes-v0", {.max_episode_steps = 100});
  registry.Add<Ratio>("Ratio-v0", {.max_episode_steps = 100});
  registry.Add<Crowd>("Crowd-v0", {.max_episode_steps = 20});
  registry.Add<Duo>("Duo-v0", {.max_episode_steps = 20});
  registry.Add<Faulty>("Faulty-v0", {.max_episode_steps = 20});
  registry.Add<Herd>("Herd-v0", {.max_episode_steps = 20});
  registry.Add<Words>("Words-v0", {.max_episode_steps = 20});
  registry.Add<Lesson>("Lesson-v0", {.max_episode_steps = 20});
  registry.Add<Turns>("Turns-v0", {.max_episode_steps = 20});
  registry.Add<Game>("Game-v0", {.max_episode_steps = 100});
}

}  // namespace parallel_pool::testing
