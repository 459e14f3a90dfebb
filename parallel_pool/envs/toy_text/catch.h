// Catch a falling ball with a paddle (Mnih et al. 2014), as in bsuite's Catch.
#pragma once

#include <algorithm>
#include <string>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/toy_text/grid.h"
#include "parallel_pool/envs/toy_text/pictures.h"

namespace parallel_pool::toy_text {

class Catch {
 public:
  struct Config {
    int32_t height = 10;
    int32_t width = 5;
  };
  struct Action { View<const int32_t> move; };
  struct State { View<float> board; };  // 1 at the ball and at the paddle, else 0

  static Options<Config> Describe() {
    return {Option<&Config::height>("height", "rows", {.min = 2, .max = 4096}),
            Option<&Config::width>("width", "columns", {.min = 1, .max = 4096})};
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    return {.action = {Array<&Action::move>("action", Discrete({"LEFT", "NOOP", "RIGHT"}))},
            .state = {Array<&State::board>("obs", Box({config.height, config.width}, {0}, {1}))}};
  }

  Catch(const Config& config, Rng& rng) : config_(config), rng_(rng) {}
  void Reset() {
    ball_x_ = static_cast<int32_t>(rng_.Integers(0, config_.width));
    ball_y_ = 0;
    paddle_ = config_.width / 2;
  }
  Outcome Step(const Action& action) {
    paddle_ = std::clamp(paddle_ + *action.move - 1, 0, config_.width - 1);
    ++ball_y_;
    if (ball_y_ < config_.height - 1) return {};
    return {.reward = paddle_ == ball_x_ ? 1.0 : -1.0, .terminated = true};
  }

  auto Saved() { return std::tie(ball_x_, ball_y_, paddle_); }
  void Observe(const State& state) const {
    std::fill(state.board.begin(), state.board.end(), 0.0f);
    state.board[Ball()] = state.board[Paddle()] = 1.0f;
  }

  static ImageSize RenderSize(const Config& config) {
    return CatchSize({config.height, config.width});
  }
  void Render(View<uint8_t> rgb) const {
    DrawCatch(rgb, {config_.height, config_.width}, Ball(), Paddle());
  }
  static constexpr bool kTurnBased = true;
  static int RenderFps(const Config&) { return 4; }
  std::string RenderText() const {
    std::string text;
    for (int cell = 0; cell < config_.height * config_.width; ++cell) {
      text += cell == Ball() ? 'o' : cell == Paddle() ? '=' : '.';
      if (cell % config_.width == config_.width - 1) text += '\n';
    }
    return text;
  }

 private:
  int Ball() const { return ball_y_ * config_.width + ball_x_; }
  int Paddle() const { return (config_.height - 1) * config_.width + paddle_; }

  const Config config_;
  Rng& rng_;
  int32_t ball_x_, ball_y_, paddle_;  // column, row, column in the last row
};

}  // namespace parallel_pool::toy_text
