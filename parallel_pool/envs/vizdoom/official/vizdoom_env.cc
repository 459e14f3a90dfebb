#include "parallel_pool/envs/vizdoom/official/vizdoom_env.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "parallel_pool/envs/vizdoom/package.h"
#include "parallel_pool/envs/vizdoom/play_together.h"

namespace parallel_pool::vizdoom {
namespace {

constexpr double kMaxFloat = std::numeric_limits<float>::max();
constexpr int kMostChosenButtons = 20;  // more would have millions of combinations

// All states of `buttons` buttons with at most `most` pressed, in the order of Python's
// itertools.product((0, 1), repeat=buttons): the last button changes first.
std::vector<uint32_t> MakeChoices(int buttons, int most) {
  if (buttons > kMostChosenButtons) {
    throw std::invalid_argument("max_buttons_pressed must be 0 with more than " +
                                std::to_string(kMostChosenButtons) + " buttons");
  }
  std::vector<uint32_t> choices;
  for (uint32_t number = 0; number < 1u << buttons; ++number) {
    if (std::popcount(number) > most) continue;
    uint32_t state = 0;
    for (int i = 0; i < buttons; ++i) state |= (number >> (buttons - 1 - i) & 1) << i;
    choices.push_back(state);
  }
  return choices;
}

// The tics of a buffer: those of a step, unless the option is set.
int BufferedTics(int option, const VizdoomEnv::Config& config) {
  return option == 0 ? config.frame_skip : option;
}

Scenario WithBuffers(const VizdoomEnv::Config& config) {
  Scenario scenario = config;
  scenario.audio_buffer_size = BufferedTics(config.audio_buffer_size, config);
  scenario.notifications_buffer_size = BufferedTics(config.notifications_buffer_size, config);
  return scenario;
}

void Copy(const Engine& engine, Region region, View<uint8_t> out) {
  if (out.size > 0) std::copy_n(engine.bytes(region), out.size, out.begin());
}

// Writes zeros, if the task has the array.
template <class T>
void Clear(View<T> out) {
  if (out.size > 0) std::ranges::fill(out, T{0});
}

}  // namespace

Options<VizdoomEnv::Config> VizdoomEnv::Describe() {
  Options<Config> options = {
      Option<&Config::engine_path>("engine_path", "folder of the package vizdoom; '': Python's"),
      Option<&Config::frame_skip>("frame_skip", "tics for which an action is held",
                                  {.min = 1, .max = 35}),
      Option<&Config::max_buttons_pressed>(
          "max_buttons_pressed",
          "buttons that an action may press, of one Discrete; 0: a number for each button",
          {.min = 0}),
      Option<&Config::treat_episode_timeout_as_truncation>("treat_episode_timeout_as_truncation",
                                                           "truncates at episode_timeout"),
      Option<&Config::use_multi_binary_action_space>(
          "use_multi_binary_action_space",
          "with max_buttons_pressed=0: MultiBinary; False: MultiDiscrete"),
      Option<&Config::scenario_config_file>("scenario_config_file",
                                            ".cfg file, in the package or anywhere"),
  };
  for (const auto& option : Scenario::Describe()) options.push_back(option);
  return options;
}

void VizdoomEnv::Complete(Config& config) {
  config.package = FindPackage(config.engine_path);
  LoadScenario(config.package, config.scenario_config_file, config);
  for (const int button : config.buttons) {
    (button < kNumBinaryButtons ? config.binary : config.deltas).push_back(button);
  }
}

EnvSpec<VizdoomEnv::Action, VizdoomEnv::State> VizdoomEnv::Describe(const Config& config) {
  CheckMap(config);
  EnvSpec<Action, State> spec;
  const int binary = static_cast<int>(config.binary.size());
  const int deltas = static_cast<int>(config.deltas.size());
  if (binary > 0) {
    const char* const name = deltas > 0 ? "binary" : "action";
    const int most = config.max_buttons_pressed;
    if (most > 0) {
      const auto choices = static_cast<int>(MakeChoices(binary, most).size());
      spec.action.push_back(Array<&Action::choice>(name, Discrete(choices)));
    } else if (config.use_multi_binary_action_space) {
      spec.action.push_back(Array<&Action::pressed>(name, MultiBinary(binary)));
    } else {
      spec.action.push_back(
          Array<&Action::states>(name, MultiDiscrete(std::vector<int>(binary, 2))));
    }
  }
  if (deltas > 0) {
    spec.action.push_back(Array<&Action::deltas>(binary > 0 ? "continuous" : "action",
                                                 Box({deltas}, {-kMaxFloat}, {kMaxFloat})));
  }
  const ImageSize size = SizeOf(config);
  const Space color = Box({size.height, size.width, NumChannels(config)}, {0}, {255});
  const Space gray = Box({size.height, size.width, 1}, {0}, {255});
  spec.state.push_back(Array<&State::screen>("obs:screen", color));
  if (config.depth_buffer_enabled) spec.state.push_back(Array<&State::depth>("obs:depth", gray));
  if (config.labels_buffer_enabled) {
    spec.state.push_back(Array<&State::labels>("obs:labels", gray));
  }
  if (config.automap_buffer_enabled) {
    spec.state.push_back(Array<&State::automap>("obs:automap", color));
  }
  if (config.audio_buffer_enabled) {
    const int samples =
        SamplingRate(config) / kTicsPerSecond * BufferedTics(config.audio_buffer_size, config);
    spec.state.push_back(Array<&State::audio>("obs:audio", Box({samples, 2}, {-32768}, {32767})));
  }
  if (config.notifications_buffer_enabled) {
    spec.state.push_back(
        Array<&State::notifications>("obs:notifications", Text(kMaxNotifications)));
  }
  if (const int variables = static_cast<int>(config.variables.size()); variables > 0) {
    spec.state.push_back(
        Array<&State::variables>("obs:gamevariables", Box({variables}, {-kMaxFloat}, {kMaxFloat})));
  }
  return spec;
}

VizdoomEnv::VizdoomEnv(const Config& config, Rng& rng)
    : config_(config), rng_(rng), game_(config.package, WithBuffers(config)) {
  if (config.max_buttons_pressed > 0) {
    choices_ = MakeChoices(static_cast<int>(config.binary.size()), config.max_buttons_pressed);
  }
}

void VizdoomEnv::ResetChunk(Chunk<VizdoomEnv>& chunk) {
  chunk.ForEach([&](int i) { chunk.env(i).game_.Begin(chunk.env(i).rng_.Next32()); });
  chunk.ForEach([&](int i) { chunk.env(i).game_.WaitForBegin(); });
}

void VizdoomEnv::StepChunk(Chunk<VizdoomEnv>& chunk) {
  chunk.ForEach([&](int i) {
    VizdoomEnv& env = chunk.env(i);
    env.Press(chunk.action(i));
    env.game_.Start(env.config_.frame_skip);
  });
  PlayTogether(chunk, [&](int i) { chunk.outcome(i) = chunk.env(i).Result(); });
}

Outcome VizdoomEnv::Result() {
  Outcome outcome = {.reward = game_.Reward()};
  outcome.terminated = game_.HasEnded();
  outcome.truncated = config_.treat_episode_timeout_as_truncation && game_.TimeIsOver();
  return outcome;
}

bool VizdoomEnv::IsPressed(const Action& action, size_t button) const {
  if (!choices_.empty()) return (choices_[*action.choice] >> button & 1) != 0;
  if (config_.use_multi_binary_action_space) return action.pressed[button] != 0;
  return action.states[button] != 0;
}

void VizdoomEnv::Press(const Action& action) {
  for (size_t i = 0; i < config_.binary.size(); ++i) {
    game_.Press(config_.binary[i], IsPressed(action, i));
  }
  for (size_t i = 0; i < config_.deltas.size(); ++i) {
    game_.Press(config_.deltas[i], action.deltas[i]);
  }
}

void VizdoomEnv::Observe(const State& state) const {
  if (game_.HasEnded()) {
    for (const auto& bytes :
         {state.screen, state.depth, state.labels, state.automap, state.notifications}) {
      Clear(bytes);
    }
    Clear(state.audio);
    Clear(state.variables);
    return;
  }
  Copy(game_.engine(), kScreen, state.screen);
  Copy(game_.engine(), kDepth, state.depth);
  Copy(game_.engine(), kLabels, state.labels);
  Copy(game_.engine(), kAutomap, state.automap);
  if (state.audio.size > 0) {
    std::memcpy(state.audio.data, game_.engine().bytes(kAudio), state.audio.size * sizeof(int16_t));
  }
  if (state.notifications.size > 0) {
    const std::string_view text = game_.engine().notifications();
    std::ranges::fill(std::ranges::copy(text, state.notifications.begin()).out,
                      state.notifications.end(), uint8_t{0});
  }
  for (size_t i = 0; i < config_.variables.size(); ++i) {
    state.variables[i] = static_cast<float>(game_.Value(config_.variables[i]));
  }
}

}  // namespace parallel_pool::vizdoom
