// An env that is stepped and reset in chunks, for tests of the engine only.
#pragma once

#include <stdexcept>
#include <string>
#include <tuple>

#include "parallel_pool/core/env.h"

namespace parallel_pool::testing {

// Adds up its actions; observes the sizes of the chunks in which it was stepped and reset.
class Herd {
 public:
  // The action -1 fails this env alone, the action 3 fails its whole chunk.
  static constexpr int kThrow = -1, kThrowAll = 3;

  struct Config {
    int chunk_size = 8;
    bool refuse = false;
  };
  struct Action { View<const int32_t> add; };
  struct State {
    View<int64_t> obs;     // the sum, which begins with `start`
    View<int32_t> chunks;  // envs in its last step, envs in its last reset
  };
  struct ResetOptions {
    int start = 0;

    static Options<ResetOptions> Describe() {
      return {Option<&ResetOptions::start>("start", "the first value of the sum")};
    }
    void Check() const {
      if (start == -1) throw std::invalid_argument("start must not be -1");
    }
  };

  static Options<Config> Describe() {
    return {Option<&Config::chunk_size>("chunk_size", "envs that are stepped together",
                                        {.min = 0, .max = 1000}),
            Option<&Config::refuse>("refuse", "the constructor throws")};
  }
  static int ChunkSize(const Config& config) { return config.chunk_size; }
  static EnvSpec<Action, State> Describe(const Config&) {
    return {.action = {Array<&Action::add>("action", Discrete(5, kThrow))},
            .state = {Array<&State::obs>("obs", Box({}, {-kInf}, {kInf})),
                      Array<&State::chunks>("info:chunks", Box({2}, {0}, {kMaxChunk}))}};
  }

  Herd(const Config& config, Rng&) {
    if (config.refuse) throw std::runtime_error("the barn is full");
  }

  static void StepChunk(Chunk<Herd>& chunk) {
    for (int i = 0; i < chunk.size(); ++i) {
      if (*chunk.action(i).add == kThrowAll) throw std::runtime_error("the fence broke");
    }
    chunk.ForEach([&](int i) {
      if (*chunk.action(i).add == kThrow) throw std::runtime_error("the bell broke");
    });
    chunk.ForEach([&](int i) {
      Herd& env = chunk.env(i);
      env.sum_ += *chunk.action(i).add;
      env.stepped_ = chunk.size();
      chunk.outcome(i) = {.reward = static_cast<double>(env.sum_) / 3,
                          .terminated = env.sum_ >= 10};
    });
  }
  static void ResetChunk(Chunk<Herd>& chunk) {
    chunk.ForEach([&](int i) {
      chunk.env(i).sum_ = chunk.reset_options(i).start;
      chunk.env(i).was_reset_ = chunk.size();
    });
  }
  auto Saved() { return std::tie(sum_, stepped_, was_reset_); }
  void Observe(const State& state) const {
    *state.obs = sum_;
    state.chunks.Assign(stepped_, was_reset_);
  }

 private:
  int64_t sum_ = 0;
  int stepped_ = 0, was_reset_ = 0;
};

}  // namespace parallel_pool::testing
