// Envs whose players have names and spaces of their own, for tests of the engine only.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"

namespace parallel_pool::testing {

// A teacher and a pupil with spaces of their own. Each observes its last action.
class Lesson {
 public:
  struct Config { std::string mistake = "none"; };
  struct Action {
    View<const int32_t> word;
    View<const int32_t> marks;
    View<const float> force;
  };
  struct State {
    View<float> force;
    View<int32_t> marks;
    View<int32_t> agent;
    View<double> reward;
  };

  static constexpr const char* kMistakes[] = {"none",  "count", "name",   "array", "axes",
                                              "shape", "kind",  "values", "role",  "bound"};
  static Options<Config> Describe() {
    return {Option<&Config::mistake>("mistake", "of Describe", OneOf(kMistakes))};
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const Space force = Box({3}, {-kInf}, {kInf}), reward = Box({}, {-kInf}, {kInf});
    const Space marks = MultiDiscrete({3, 4});
    EnvSpec<Action, State> spec{
        .action = {Array<&Action::word>("word", PerPlayer(2, Discrete(7))),
                   Array<&Action::marks>("marks", PerPlayer(2, marks)),
                   Array<&Action::force>("force", PerPlayer(2, force))},
        .state = {Array<&State::force>("obs:force", PerPlayer(2, force)),
                  Array<&State::marks>("obs:marks", PerPlayer(2, marks)),
                  Array<&State::agent>("info:players.agent", PerPlayer(2, Discrete(2))),
                  Array<&State::reward>("reward", PerPlayer(2, reward))},
        .players = {{"teacher_0", "teacher"},
                    {"pupil_0",
                     "pupil",
                     {{"word", Discrete(2, 1)},
                      {"marks", MultiDiscrete({2})},
                      {"obs:marks", MultiDiscrete({2})},
                      {"force", Box({2}, {-1}, {1})},
                      {"obs:force", Box({2}, {-1}, {1})}}}}};
    Break(config.mistake, spec.players);
    return spec;
  }

  Lesson(const Config&, Rng&) {}
  void Reset() {
    reward_ = 0;
    for (auto& force : force_) force = {};
    for (auto& marks : marks_) marks = {};
  }
  Outcome Step(const Action& action) {
    for (int p = 0; p < 2; ++p) {
      for (int i = 0; i < 3 - p; ++i) force_[p][i] = action.force[3 * p + i];
      for (int i = 0; i < 2 - p; ++i) marks_[p][i] = action.marks[2 * p + i];
    }
    reward_ = action.word[0] + 0.1 * action.word[1];
    return {};
  }
  void Observe(const State& state) const {
    for (int p = 0; p < 2; ++p) {
      for (int i = 0; i < 3; ++i) state.force[3 * p + i] = force_[p][i];
      for (int i = 0; i < 2; ++i) state.marks[2 * p + i] = marks_[p][i];
      state.agent[p] = p;
      state.reward[p] = reward_ * (p + 1);
    }
  }
  auto Saved() { return std::tie(force_, marks_, reward_); }

 private:
  // Makes one mistake in the pupil's spaces.
  static void Break(const std::string& mistake, std::vector<Player>& players) {
    Player& pupil = players[1];
    if (mistake == "count") players.pop_back();
    if (mistake == "name") pupil.name = "teacher_0";
    if (mistake == "role") pupil.role = "";
    if (mistake == "array") pupil.own[0].array = "wrod";
    if (mistake == "axes") pupil.own[3].space.shape = {2, 1};
    if (mistake == "shape") pupil.own[3].space.shape = {4};
    if (mistake == "kind") pupil.own[0].space = Box({}, {0}, {1});
    if (mistake == "values") pupil.own[0].space = Discrete(8);
    if (mistake == "bound") pupil.own[3].space.low = {-1, -1, -1};
  }

  std::array<std::array<float, 3>, 2> force_ = {};
  std::array<std::array<int32_t, 2>, 2> marks_ = {};
  double reward_ = 0;
};

// Two players who take turns, of which only one is shown.
class Turns {
 public:
  struct Config {};
  struct Action { View<const int32_t> move; };
  struct State {
    View<float> obs;
    View<int32_t> agent;
  };

  static EnvSpec<Action, State> Describe(const Config&) {
    return {
        .action = {Array<&Action::move>("action", PerPlayer(2, Discrete(5)))},
        .state = {Array<&State::obs>("obs", PerPlayer(2, Box({2}, {0}, {9}))),
                  Array<&State::agent>("info:players.agent", PerPlayer(2, Discrete(2)))},
        .players = {{"white", "white"},
                    {"black", "black", {{"obs", Box({1}, {0}, {9})}, {"action", Discrete(3)}}}}};
  }

  Turns(const Config&, Rng&) {}
  void Reset() { turn_ = last_ = 0; }
  Outcome Step(const Action& action) {
    last_ = *action.move;
    if (turn_ == 1 && last_ > 2) throw std::invalid_argument("black has 3 moves");
    turn_ = 1 - turn_;
    return {};
  }
  int NumPlayers() const { return 1; }
  void Observe(const State& state) const {
    state.obs[0] = static_cast<float>(last_);
    state.obs[1] = 0;
    *state.agent = turn_;
  }
  auto Saved() { return std::tie(turn_, last_); }

 private:
  int turn_ = 0, last_ = 0;
};

}  // namespace parallel_pool::testing
