// Envs with several players, for tests of the engine only.
#pragma once

#include <tuple>
#include <vector>

#include "parallel_pool/core/env.h"

namespace parallel_pool::testing {

// A room that players enter and leave. Each player observes its id and the sum of its moves.
class Crowd {
 public:
  // Effects of the env's own action, after the players' moves.
  enum { kClosed, kOneEnters, kFirstLeaves, kAllLeave, kFill, kSomeLeave, kEnd, kMiscount };
  struct Config { int32_t max_num_players = 4; };
  struct Action {
    View<const int32_t> move;  // one for each player
    View<const int32_t> door;
  };
  struct State {
    View<float> position;
    View<uint8_t> name;
    View<int64_t> moves;  // the sum of the player's moves
    View<double> room;    // the number of players, a random number
    View<int32_t> id;     // numbers in the order of entering
    View<float> reward;
  };

  static Options<Config> Describe() {
    return {Option<&Config::max_num_players>("max_num_players", "players that the room holds",
                                             {.min = 1, .max = 8})};
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const auto each = [&](Space space) { return PerPlayer(config.max_num_players, space); };
    const Space number = Box({}, {0}, {kInf});
    return {.action = {Array<&Action::move>("players.move", each(Discrete(5))),
                       Array<&Action::door>("door", Discrete(8))},
            .state = {Array<&State::position>("obs:where.position", each(Box({2}, {0}, {kInf}))),
                      Array<&State::name>("obs:name", each(Box({}, {0}, {255}))),
                      Array<&State::moves>("obs:moves", each(number)),
                      Array<&State::room>("obs:room", Box({2}, {0}, {kInf})),
                      Array<&State::id>("info:players.id", each(number)),
                      Array<&State::reward>("reward", each(Box({}, {-kInf}, {kInf})))}};
  }

  Crowd(const Config& config, Rng& rng) : most_(config.max_num_players), rng_(rng) {
    players_.reserve(most_);
  }

  void Reset() {
    players_.clear();
    entered_ = 0;
    miscounts_ = false;
    for (int64_t n = rng_.Integers(0, most_ + 1); n > 0; --n) Enter();
    draw_ = rng_.Random();
  }
  Outcome Step(const Action& action) {
    for (size_t i = 0; i < players_.size(); ++i) {
      Player& player = players_[i];
      player.moves += action.move[i];
      player.position[0] += static_cast<float>(action.move[i]);
      player.reward = static_cast<float>(action.move[i]) + 0.5f * static_cast<float>(player.id);
    }
    Open(*action.door);
    draw_ = rng_.Random();
    return {.reward = 1000.0,
            .terminated = *action.door == kEnd};  // a reward that the pool does not show
  }
  int NumPlayers() const { return miscounts_ ? most_ + 1 : static_cast<int>(players_.size()); }
  auto Saved() { return std::tie(players_, entered_, miscounts_, draw_); }
  void Observe(const State& state) const {
    for (size_t i = 0; i < players_.size(); ++i) {
      const Player& player = players_[i];
      state.position[2 * i] = player.position[0];
      state.position[2 * i + 1] = player.position[1];
      state.name[i] = static_cast<uint8_t>(player.id % 256);
      state.moves[i] = player.moves;
      state.id[i] = player.id;
      state.reward[i] = player.reward;
    }
    state.room.Assign(players_.size(), draw_);
  }

 private:
  struct Player {
    int32_t id, moves;
    float position[2];
    float reward;
  };

  void Enter() {
    const auto x = static_cast<float>(rng_.Random()), y = static_cast<float>(rng_.Random());
    players_.push_back({entered_++, 0, {x, y}, 100.0f});
  }
  void Open(int door) {
    const size_t room = most_ - players_.size();
    if (door == kFirstLeaves && !players_.empty()) players_.erase(players_.begin());
    if (door == kAllLeave) players_.clear();
    if (door == kSomeLeave) std::erase_if(players_, [&](auto&) { return rng_.Random() < 0.5; });
    if (door == kOneEnters && room > 0) Enter();
    for (size_t i = 0; door == kFill && i < room; ++i) Enter();
    miscounts_ = door == kMiscount;
  }

  const int32_t most_;
  Rng& rng_;
  std::vector<Player> players_;
  int32_t entered_ = 0;
  bool miscounts_ = false;
  double draw_ = 0;
};

// Two players that never leave. The observation is each player's sum, or with `shared` one row with
// both sums.
class Duo {
 public:
  struct Config { bool shared = false; };
  struct Action { View<const int32_t> add; };
  struct State { View<int64_t> obs; };

  static Options<Config> Describe() {
    return {Option<&Config::shared>("shared", "the observation is the env's as a whole")};
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const Space both = Box({2}, {0}, {kInf}), each = PerPlayer(2, Box({}, {0}, {kInf}));
    return {.action = {Array<&Action::add>("action", PerPlayer(2, Discrete(10)))},
            .state = {Array<&State::obs>("obs", config.shared ? both : each)}};
  }

  Duo(const Config&, Rng&) {}
  void Reset() { sums_[0] = sums_[1] = 0; }
  Outcome Step(const Action& action) {
    for (int i = 0; i < 2; ++i) sums_[i] += action.add[i];
    return {.reward = static_cast<double>(action.add[0] - action.add[1]),
            .terminated = sums_[0] > 20};
  }
  void Observe(const State& state) const { state.obs.Assign(sums_[0], sums_[1]); }

 private:
  int64_t sums_[2] = {};
};

}  // namespace parallel_pool::testing
