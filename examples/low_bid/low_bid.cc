// An auction. The lowest bidder leaves at each step, until one player is left.
#include <algorithm>

#include "parallel_pool/core/env.h"

using namespace parallel_pool;

class LowBid {
 public:
  struct Config { int32_t max_num_players = 4; };
  struct Action { View<const int32_t> bid; };
  struct State {
    View<float> obs;      // the player's last bid, the number of players that are left
    View<int32_t> agent;  // the player of the row
    View<float> reward;   // 1 for each player that stays
  };

  static Options<Config> Describe() {
    return {Option<&Config::max_num_players>("max_num_players", "players at the beginning",
                                             {.min = 2, .max = 99})};
  }
  static EnvSpec<Action, State> Describe(const Config& config) {
    const int32_t n = config.max_num_players;
    return {.action = {Array<&Action::bid>("bid", PerPlayer(n, Discrete(100)))},
            .state = {Array<&State::obs>("obs", PerPlayer(n, Box({2}, {0}, {99}))),
                      Array<&State::agent>("info:players.agent", PerPlayer(n, Discrete(n))),
                      Array<&State::reward>("reward", PerPlayer(n, Box({}, {0}, {1})))}};
  }

  static bool IsDeterministic(const Config&) { return true; }

  LowBid(const Config& config, Rng&) : config_(config) { players_.reserve(config.max_num_players); }

  void Reset() {
    players_.clear();
    for (int32_t k = 0; k < config_.max_num_players; ++k) players_.push_back({k, 0});
  }

  Outcome Step(const Action& action) {
    for (size_t i = 0; i < players_.size(); ++i) players_[i].bid = action.bid[i];
    const auto less = [](const Player& a, const Player& b) { return a.bid < b.bid; };
    players_.erase(std::min_element(players_.begin(), players_.end(), less));
    return {.terminated = players_.size() == 1};
  }

  int NumPlayers() const { return static_cast<int>(players_.size()); }

  void Observe(const State& state) const {
    for (size_t i = 0; i < players_.size(); ++i) {
      state.obs[2 * i] = static_cast<float>(players_[i].bid);
      state.obs[2 * i + 1] = static_cast<float>(players_.size());
      state.agent[i] = players_[i].agent;
      state.reward[i] = 1.0f;
    }
  }

 private:
  struct Player { int32_t agent, bid; };
  const Config config_;
  std::vector<Player> players_;
};

PARALLEL_POOL_FAMILY(registry) {
  registry.Add<LowBid>("LowBid-v0", {});
}
