// match_env_test.py runs this with the folder of the package vizdoom in VIZDOOM_PACKAGE.
#include "parallel_pool/envs/vizdoom/matches/match.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <stdexcept>

#include "parallel_pool/envs/vizdoom/package.h"

namespace parallel_pool::vizdoom {
namespace {

const std::filesystem::path& Package() {
  static const std::filesystem::path folder = [] {
    const char* const value = std::getenv("VIZDOOM_PACKAGE");
    return value != nullptr ? value : "VIZDOOM_PACKAGE is not set";
  }();
  return folder;
}

Scenario ScenarioOf(const std::string& map) {
  Scenario scenario;
  LoadScenario(Package(), "cig.cfg", scenario);
  scenario.doom_map = map;
  scenario.screen_resolution = "RES_160X120";
  scenario.labels_buffer_enabled = true;
  return scenario;
}

void Begin(Match& match, uint32_t seed) {
  match.Begin(seed);
  match.WaitForBegin();
}

void Play(Match& match, int tics) {
  for (int tic = 0; tic < tics; ++tic) {
    match.StartTic(true);
    match.Wait();
  }
}

// All players press random buttons.
void PressAtRandom(Match& match, const Scenario& scenario, std::mt19937& random) {
  for (int player = 0; player < match.num_players(); ++player) {
    for (const int button : scenario.buttons) match.Press(player, button, random() % 2);
  }
}

std::string ErrorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

// Whether another player is in the picture of `player`.
bool SeesAPlayer(const Match& match, int player) {
  const GameState& state = match.state(player);
  for (uint32_t i = 0; i < state.num_labels; ++i) {
    if (std::string(state.labels[i].object_name) == "DoomPlayer") return true;
  }
  return false;
}

// A UDP port, used as long as this lives.
class UsedPort {
 public:
  UsedPort() : number_(FreePort()), socket_(socket(AF_INET, SOCK_DGRAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(number_));
    is_used_ = bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~UsedPort() { close(socket_); }
  int number() const { return number_; }
  bool is_used() const { return is_used_; }

 private:
  const int number_, socket_;
  bool is_used_ = false;
};

class MatchTest : public testing::TestWithParam<const char*> {};

TEST_P(MatchTest, AllPlayersLiveInTheSameTicsOfTheSameWorld) {
  const Scenario scenario = ScenarioOf(GetParam());
  Match match(Package(), scenario, 3, 0);
  Begin(match, 1);
  std::mt19937 random(1);
  uint32_t tic = match.state(0).map_tic;
  int seen = 0;
  for (int i = 0; i < 300; ++i) {
    if (i % 4 == 0) PressAtRandom(match, scenario, random);
    Play(match, 1);
    ++tic;
    for (int player = 0; player < 3; ++player) {
      const GameState& state = match.state(player);
      ASSERT_EQ(state.map_tic, tic) << "player " << player;
      ASSERT_EQ(state.player_count, 3u);
      ASSERT_EQ(state.player_frag_count, state.players_frag_count[state.player_number]);
      for (int other = 0; other < kMaxPlayers; ++other) {
        ASSERT_EQ(state.players_frag_count[other], match.state(0).players_frag_count[other]);
      }
      seen += SeesAPlayer(match, player);
    }
  }
  EXPECT_GT(seen, 0) << "no player ever saw another one";
}

TEST_P(MatchTest, ADeadPlayerSoonLivesAgain) {
  Match match(Package(), ScenarioOf(GetParam()), 2, 0);
  Begin(match, 1);
  Play(match, 70);  // until nothing protects a new player any more
  match.engine(1).Command("kill");
  int dead = 0, tics = 0;
  for (; tics < 100 && (dead == 0 || match.state(1).player_dead); ++tics) {
    Play(match, 1);
    dead += match.state(1).player_dead;
    EXPECT_FALSE(match.state(0).player_dead);
  }
  EXPECT_GT(dead, 0);
  EXPECT_LT(tics, 10);
  EXPECT_EQ(match.state(1).player_death_count, 1);
  EXPECT_EQ(match.state(1).player_frag_count, -1);
  EXPECT_EQ(match.state(1).player_health, 100);
  EXPECT_EQ(match.state(0).player_frag_count, 0);
}

TEST_P(MatchTest, EpisodesBeginAtAnyTime) {
  const Scenario scenario = ScenarioOf(GetParam());
  Match match(Package(), scenario, 2, 0);
  std::mt19937 random(1);
  for (const int tics : {0, 1, 2, 50, 200}) {
    Begin(match, 7 + tics);
    for (int player = 0; player < 2; ++player) {
      const GameState& state = match.state(player);
      EXPECT_EQ(state.map_tic, match.state(0).map_tic);
      EXPECT_LT(state.map_tic, 10u) << "after an episode of other tics than " << tics;
      EXPECT_FALSE(state.map_end);
      EXPECT_FALSE(state.player_dead);
      EXPECT_EQ(state.player_health, 100);
      EXPECT_EQ(state.player_frag_count, 0);
    }
    PressAtRandom(match, scenario, random);
    Play(match, tics);
    if (tics == 50) {  // the next episode begins while a player is dead
      match.engine(1).Command("kill");
      Play(match, 1);
    }
  }
}

TEST_P(MatchTest, BotsAreThereFromTheFirstTicOnAndAsManyAsWanted) {
  Match match(Package(), ScenarioOf(GetParam()), 2, 3);
  for (int episode = 0; episode < 3; ++episode) {
    Begin(match, episode);
    EXPECT_LT(match.state(0).map_tic, 20u);
    for (int i = 0; i < 20; ++i) {
      for (const int player : {0, 1}) EXPECT_EQ(match.state(player).player_count, 5u);
      Play(match, 20);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Maps, MatchTest, testing::Values("map01", "map02"));

TEST(MatchFaultTest, AKilledEngineEndsTheOthersAndTheNextEpisodeHasNewOnes) {
  Match match(Package(), ScenarioOf("map01"), 3, 0);
  Begin(match, 1);
  pid_t engines[3];
  for (int player = 0; player < 3; ++player) engines[player] = match.engine(player).process_id();
  kill(engines[2], SIGKILL);
  EXPECT_EQ(ErrorOf([&] { Play(match, 2); }),
            "player 2: the ViZDoom engine has stopped: it was killed by signal 9");
  EXPECT_FALSE(match.IsRunning());
  for (const pid_t engine : engines) EXPECT_EQ(kill(engine, 0), -1) << "it still runs";
  Begin(match, 1);
  Play(match, 5);
  EXPECT_TRUE(match.IsRunning());
  // A reset alone also replaces them.
  kill(match.engine(1).process_id(), SIGKILL);
  while (match.engine(1).IsRunning()) usleep(1000);
  Begin(match, 1);
  Play(match, 5);
}

TEST(MatchPortTest, AnotherPortFollowsOneThatIsUsed) {
  const UsedPort used;
  ASSERT_TRUE(used.is_used());
  int calls = 0;
  Match match(Package(), ScenarioOf("map01"), 2, 0,
              [&] { return ++calls == 1 ? used.number() : FreePort(); });
  Begin(match, 1);
  Play(match, 5);
  EXPECT_EQ(calls, 2);
}

TEST(MatchPortTest, ThreeUsedPortsAreAnError) {
  const UsedPort used;
  int calls = 0;
  Match match(Package(), ScenarioOf("map01"), 2, 0, [&] {
    ++calls;
    return used.number();
  });
  const std::string error = ErrorOf([&] { Begin(match, 1); });
  EXPECT_TRUE(
      error.starts_with("the game of 2 players did not start; its engines waited for each other 3 "
                        "times, for at most 30 s; the last error: player"))
      << error;
  EXPECT_EQ(calls, 3);
  EXPECT_FALSE(match.IsRunning());
}

}  // namespace
}  // namespace parallel_pool::vizdoom
