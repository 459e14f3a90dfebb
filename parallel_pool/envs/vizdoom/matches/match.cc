#include "parallel_pool/envs/vizdoom/matches/match.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <ranges>
#include <stdexcept>

#include "parallel_pool/envs/vizdoom/arguments.h"

namespace parallel_pool::vizdoom {
namespace {

constexpr int kAttempts = 3;  // to start a game, each with another port
// Limits of waiting, in s. All engines of 8 players start in 5 s on two idle processors.
constexpr double kStartLimit = 120, kCallLimit = 60;
constexpr int kConnectLimit = 30;  // of the engines for each other
// The wait for one engine before a look at the next one, in s.
constexpr double kSlice = 0.02;
// Most maps begin after 6 tics; a bot is there after 100 tics.
constexpr int kMostTics = 2000;
// The engine's button "use".
constexpr int kUse = 1;

}  // namespace

int FreePort() {
  const int number = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool is_bound =
      number >= 0 && bind(number, any, size) == 0 && getsockname(number, any, &size) == 0;
  const int error = errno;
  if (number >= 0) close(number);
  if (is_bound) return ntohs(address.sin_port);
  throw std::runtime_error(std::string("the system has no UDP port: ") + std::strerror(error));
}

Match::Match(const std::filesystem::path& package, const Scenario& scenario, int num_players,
             int num_bots, std::function<int()> find_port)
    : package_(package),
      scenario_(scenario),
      num_players_(num_players),
      num_bots_(num_bots),
      find_port_(std::move(find_port)) {}

void Match::Begin(uint32_t seed) {
  engine_seed_ = seed;
  const auto runs = [](const auto& engine) { return engine->IsRunning(); };
  is_new_ = engines_.empty() || !std::ranges::all_of(engines_, runs);
  if (is_new_) StartEngines();
}

void Match::WaitForBegin() {
  if (!is_new_) {
    RestartMap();
    return WaitForStart();
  }
  for (int attempt = 1;; ++attempt) {
    try {
      if (attempt > 1) StartEngines();
      PrepareEngines();
      return WaitForStart();
    } catch (const std::runtime_error& error) {
      if (attempt < kAttempts) continue;
      throw std::runtime_error("the game of " + std::to_string(num_players_) +
                               " players did not start; its engines waited for each other " +
                               std::to_string(kAttempts) + " times, for at most " +
                               std::to_string(kConnectLimit) +
                               " s; the last error: " + error.what());
    }
  }
}

std::vector<std::string> Match::ArgumentsOf(int player, int port) const {
  std::vector<std::string> all = Arguments(scenario_, engine_seed_);
  const auto add = [&all](const char* name, const std::string& value) {
    all.push_back(name);
    all.push_back(value);
  };
  if (player == 0) {
    add("-host", std::to_string(num_players_));
    all.push_back("-deathmatch");
    add("+viz_bots_path", package_ / "bots.cfg");
    add("+viz_respawn_delay", "0");
    for (const char* rule : {"+sv_forcerespawn", "+sv_noautoaim", "+sv_respawnprotect",
                             "+sv_spawnfarthest", "+sv_nocrouch", "+sv_noexit"}) {
      add(rule, "1");
    }
  } else {
    add("-join", "127.0.0.1");
  }
  add("-port", std::to_string(port));
  add("+viz_connect_timeout", std::to_string(kConnectLimit));
  add("+name", "Player" + std::to_string(player));
  add("+colorset", std::to_string(player));
  return all;
}

void Match::StartEngines() {
  engines_.clear();
  const int port = find_port_();
  engines_.resize(num_players_);
  ForEach([&](int player) {
    engines_[player] = std::make_unique<Engine>(package_ / "vizdoom", ArgumentsOf(player, port));
  });
}

void Match::PrepareEngines() {
  WaitForAll(kStartLimit, &Engine::IsReady);
  for (const auto& engine : engines_) {
    InputState& input = engine->input();
    input = {};
    for (const int button : scenario_.buttons) input.available[button] = true;
  }
}

void Match::RestartMap() {
  ForEach([&](int player) {
    Engine& engine = *engines_[player];
    engine.Command("rngseed set " + std::to_string(engine_seed_));
    if (player == 0) engine.Command("changemap " + scenario_.doom_map);
    std::ranges::fill(engine.input().buttons, 0.0);
    engine.input().available[kUse] = true;
  });
  int tics = 0;
  while (!HasEnded()) TryTic(tics);
  // Now the engines show the scores, until each player has pressed "use" several times.
  while (HasEnded()) {
    for (int player = 0; player < num_players_; ++player) Press(player, kUse, tics % 2);
    TryTic(tics);
  }
  for (const auto& engine : engines_) {
    engine->input().buttons[kUse] = 0;
    engine->input().available[kUse] = std::ranges::count(scenario_.buttons, kUse) > 0;
  }
}

void Match::WaitForStart() {
  const auto start = static_cast<uint32_t>(std::max(scenario_.episode_start_time, 1));
  // A player whose place was not free appears some tics later, and so do bots.
  const auto is_there = [&](int player) {
    return !state(player).player_dead &&
           state(player).player_count == static_cast<uint32_t>(num_players_ + num_bots_);
  };
  const auto players = std::views::iota(0, num_players_);
  // The bots of the last map would return one by one, with 80 tics in between.
  ForEach([&](int player) {
    for (int bot = 0; player == 0 && bot < num_bots_; ++bot) engines_[0]->Command("addbot");
    engines_[player]->StartUpdate();
  });
  Wait();
  int tics = 0;
  while (state(0).map_tic < start || !std::ranges::all_of(players, is_there)) {
    TryTic(tics);
  }
  CheckTics();
}

void Match::CheckTics() {
  ForEach([&](int player) {
    if (state(player).map_tic == state(0).map_tic) return;
    throw std::runtime_error("its map is at tic " + std::to_string(state(player).map_tic) +
                             ", and that of player 0 at tic " + std::to_string(state(0).map_tic));
  });
}

void Match::StartTic(bool updates) {
  ForEach([&](int player) { engines_[player]->StartTic(updates); });
}

void Match::Wait() {
  WaitForAll(kCallLimit, &Engine::HasAnswered);
}

void Match::TryTic(int& tics) {
  if (++tics > kMostTics) {
    engines_.clear();
    throw std::runtime_error("the map did not begin within " + std::to_string(kMostTics) + " tics");
  }
  StartTic(true);
  Wait();
}

void Match::WaitForAll(double limit, bool (Engine::*is_done)(double seconds)) {
  using std::chrono::duration, std::chrono::steady_clock;
  const auto begin = steady_clock::now();
  std::vector<bool> done(num_players_);
  while (!std::ranges::all_of(done, std::identity())) {
    const double waited = duration<double>(steady_clock::now() - begin).count();
    ForEach([&](int player) {
      // Each look also finds an engine that was killed.
      if (!done[player]) done[player] = (*engines_[player].*is_done)(kSlice);
      if (done[player] || waited < limit) return;
      throw std::runtime_error("it did not answer for " + std::to_string(waited) + " s");
    });
  }
}

void Match::ForEach(const std::function<void(int player)>& body) {
  for (int player = 0; player < num_players_; ++player) {
    try {
      body(player);
    } catch (const std::exception& error) {
      engines_.clear();
      throw std::runtime_error("player " + std::to_string(player) + ": " + error.what());
    }
  }
}

bool Match::HasEnded() const {
  return std::ranges::any_of(engines_, [](const auto& e) { return e->state().map_end; });
}

}  // namespace parallel_pool::vizdoom
