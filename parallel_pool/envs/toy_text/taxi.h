// Drive a passenger to a destination (Dietterich 2000), as in Gymnasium 1.4's Taxi-v4.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/toy_text/categorical.h"
#include "parallel_pool/envs/toy_text/colored.h"
#include "parallel_pool/envs/toy_text/grid.h"
#include "parallel_pool/envs/toy_text/pictures.h"

namespace parallel_pool::toy_text {

class Taxi {
 public:
  struct Config {
    bool is_rainy = false;
    bool fickle_passenger = false;
    double rainy_probability = 0.8;
    double fickle_probability = 0.3;
  };
  struct Action { View<const int32_t> what; };  // 0 to 3: a direction, then:
  enum { kPickUp = 4, kDropOff = 5 };
  struct State {
    View<int64_t> all;         // ((row * 5 + column) * 5 + passenger) * 4 + destination
    View<double> prob;         // probability of the last step's result
    View<int8_t> action_mask;  // 1: the action would change the state
  };

  static Options<Config> Describe() {
    constexpr Range kProbability{.min = 0, .max = 1};
    return {Option<&Config::is_rainy>("is_rainy", "the taxi may drift to the side"),
            Option<&Config::fickle_passenger>("fickle_passenger",
                                              "the passenger may change the destination"),
            Option<&Config::rainy_probability>("rainy_probability",
                                               "probability of going ahead in rain", kProbability),
            Option<&Config::fickle_probability>(
                "fickle_probability", "probability of a change of the destination", kProbability)};
  }
  static EnvSpec<Action, State> Describe(const Config&) {
    return {.action = {Array<&Action::what>(
                "action", Discrete({"DOWN", "UP", "RIGHT", "LEFT", "PICKUP", "DROPOFF"}))},
            .state = {Array<&State::all>("obs", Discrete(500)),
                      Array<&State::prob>("info:prob", Box({}, {0}, {1})),
                      Array<&State::action_mask>("info:action_mask", Box({6}, {0}, {1}))}};
  }

  Taxi(const Config& config, Rng& rng) : config_(config), rng_(rng) {}

  void Reset() {
    const int all = CategoricalBySums(kStartSums, rng_);
    taxi_ = all / 20;
    passenger_ = all / 4 % 5;
    destination_ = all % 4;
    may_change_ = config_.fickle_passenger && rng_.Random() < config_.fickle_probability;
    last_ = {kNone, 1.0};
    facing_ = 0;
  }

  Outcome Step(const Action& action) {
    const int what = *action.what;
    last_ = {what, 1.0};
    if (what < kPickUp) {
      facing_ = what;
      Drive(what);
      return {.reward = -1.0};
    }
    rng_.Random();  // Gymnasium draws, although there is only one outcome
    return what == kPickUp ? PickUp() : DropOff();
  }

  auto Saved() { return std::tie(taxi_, passenger_, destination_, may_change_, last_, facing_); }
  void Observe(const State& state) const {
    *state.all = (taxi_ * 5 + passenger_) * 4 + destination_;
    *state.prob = last_.probability;
    for (int direction = 0; direction < 4; ++direction) {
      state.action_mask[direction] = kAfter[taxi_][direction] != taxi_;
    }
    state.action_mask[kPickUp] = passenger_ < kInTaxi && taxi_ == kStands[passenger_];
    state.action_mask[kDropOff] = passenger_ == kInTaxi && Stand() < 4;
  }

  static ImageSize RenderSize(const Config&) { return kTaxiSize; }
  void Render(View<uint8_t> rgb) const {
    DrawTaxi(rgb, {.taxi = taxi_,
                   .waits_at = passenger_ == kInTaxi ? TaxiRide::kInside : kStands[passenger_],
                   .destination = kStands[destination_],
                   .facing = facing_});
  }
  static constexpr bool kTurnBased = true;
  static int RenderFps(const Config&) { return 4; }
  std::string RenderText() const;

 private:
  static constexpr Grid kGrid{5, 5};
  static constexpr int kStands[] = {0, 4, 20, 23};  // red, green, yellow, blue
  static constexpr int kInTaxi = 4, kNone = -1;
  static constexpr const char* kMap[] = {"+---------+", "|R: | : :G|", "| : | : : |", "| : : : : |",
                                         "| | : | : |", "|Y| : |B: |", "+---------+"};

  // Cumulative probabilities of the first states, all equal: the passenger waits at a stand that is
  // not the destination.
  static constexpr auto kStartSums = [] {
    std::array<double, 500> all{};
    for (int i = 0; i < 500; ++i) {
      if (i / 4 % 5 < 4 && i / 4 % 5 != i % 4) all[i] = 1.0 / 300.0;
    }
    return SumsOf(all);
  }();

  // The number of the stand at the taxi's cell; 4: none.
  int Stand() const { return static_cast<int>(std::find(kStands, kStands + 4, taxi_) - kStands); }

  // The cell after a step from each cell in each direction; walls and the border block.
  static constexpr auto kAfter = [] {
    constexpr Move kMoves[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    std::array<std::array<int8_t, 4>, 25> after{};
    for (int i = 0; i < 25 * 4; ++i) {
      const int cell = i / 4;
      const Move move = kMoves[i % 4];
      const char between = kMap[1 + cell / 5][2 * (cell % 5) + 1 + move.right];
      const bool is_wall = move.right != 0 && between != ':';
      after[cell][i % 4] = static_cast<int8_t>(is_wall ? cell : kGrid.After(cell, move));
    }
    return after;
  }();

  // In rain, a taxi that can go ahead may drift to its left or to its right instead.
  void Drive(int direction) {
    const int before = taxi_, ahead = kAfter[taxi_][direction];
    if (config_.is_rainy) {
      static constexpr int kLeft[] = {2, 3, 1, 0}, kRight[] = {3, 2, 0, 1};
      const double aside = (1.0 - config_.rainy_probability) / 2.0;
      const std::array<double, 3> probabilities{config_.rainy_probability, aside, aside};
      const int i = Categorical(probabilities, rng_);
      last_.probability = probabilities[i];
      if (ahead != before) {
        taxi_ = i == 0 ? ahead : kAfter[before][i == 1 ? kLeft[direction] : kRight[direction]];
      }
    } else {
      rng_.Random();  // Gymnasium draws, although there is only one outcome
      taxi_ = ahead;
    }
    if (may_change_ && passenger_ == kInTaxi && taxi_ != before) ChangeDestination();
  }

  void ChangeDestination() {
    may_change_ = false;
    const int other = static_cast<int>(rng_.Integers(0, 3));
    destination_ = other + (other >= destination_);
  }

  Outcome PickUp() {
    if (passenger_ == kInTaxi || taxi_ != kStands[passenger_]) return {.reward = -10.0};
    passenger_ = kInTaxi;
    return {.reward = -1.0};
  }

  Outcome DropOff() {
    const int stand = Stand();
    if (passenger_ != kInTaxi || stand == 4) return {.reward = -10.0};
    passenger_ = stand;
    if (stand == destination_) return {.reward = 20.0, .terminated = true};
    return {.reward = -1.0};
  }

  const Config config_;
  Rng& rng_;
  int taxi_, passenger_, destination_;  // a cell, a stand or kInTaxi, a stand
  bool may_change_;                     // the passenger may still change the destination
  Slide last_;                          // the last action, and the probability of its result
  int facing_;                          // the last direction, for the picture
};

inline std::string Taxi::RenderText() const {
  static constexpr const char* kNames[] = {"South", "North", "East", "West", "Pickup", "Dropoff"};
  std::vector<std::string> shown;  // the text of each cell
  for (int cell = 0; cell < kGrid.cells(); ++cell) {
    shown.emplace_back(1, kMap[1 + cell / 5][2 * (cell % 5) + 1]);
  }
  std::string& taxi = shown[taxi_];
  if (passenger_ == kInTaxi) {
    taxi = Colored(taxi == " " ? "_" : taxi, Color::kGreen, Style::kHighlight);
  } else {
    taxi = Colored(taxi, Color::kYellow, Style::kHighlight);
    std::string& stand = shown[kStands[passenger_]];
    stand = Colored(stand, Color::kBlue, Style::kBold);
  }
  std::string& goal = shown[kStands[destination_]];
  goal = Colored(goal, Color::kMagenta, Style::kPlain);
  std::string text = std::string(kMap[0]) + "\n";
  for (int cell = 0; cell < kGrid.cells(); ++cell) {
    if (cell % 5 == 0) text += '|';
    text += shown[cell] + kMap[1 + cell / 5][2 * (cell % 5) + 2];
    if (cell % 5 == 4) text += '\n';
  }
  text += std::string(kMap[6]) + "\n";
  return last_.direction == kNone ? text + "\n" : text + "  (" + kNames[last_.direction] + ")\n";
}

}  // namespace parallel_pool::toy_text
