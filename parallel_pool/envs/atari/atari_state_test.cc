// Saved states of every game: an env that loads one continues as the env that saved it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "parallel_pool/core/byte_string.h"
#include "parallel_pool/core/save.h"
#include "parallel_pool/envs/atari/atari_env.h"
#include "parallel_pool/envs/atari/shrink.h"

namespace parallel_pool::atari {
namespace {

constexpr const char* kRoms[] = {
#include "parallel_pool/envs/atari/rom_names.inc"
};

// An env with its random numbers.
struct Player {
  Player(const AtariEnv::Config& config, uint64_t seed) : rng(seed), env(config, rng) {
    env.Seed(seed);
    env.Reset();
  }

  // The reward, the flag, the screen and the RAM of a step; after the end of an episode, resets.
  std::string Step(int32_t action) {
    const Outcome outcome = env.Step({.index = {&action, 1}, .stick = {}});
    ByteWriter seen;
    WriteAll(seen, std::tie(outcome.reward, outcome.terminated));
    seen.written.append(reinterpret_cast<const char*>(Screen().data()), kFrame);
    seen.written.append(reinterpret_cast<const char*>(ram), kRamBytes);
    if (outcome.terminated) env.Reset();
    return seen.written;
  }
  const std::vector<uint8_t>& Screen() {
    int32_t lives, terminated;
    float reward;
    env.Observe({.obs = {obs.data(), obs.size()},
                 .lives = {&lives, 1},
                 .reward = {&reward, 1},
                 .terminated = {&terminated, 1},
                 .ram = {ram, kRamBytes},
                 .sound = {}});
    return obs;
  }
  std::string Save() {
    ByteWriter state;
    WriteAll(state, rng.Saved());
    WriteAll(state, env.Saved());
    return state.written;
  }
  bool Load(const std::string& state) {
    ByteReader reader(state);
    return ReadAll(reader, rng.Saved()) && ReadAll(reader, env.Saved()) && reader.left() == 0;
  }

  static constexpr int kFrame = 210 * kScreenWidth;
  Rng rng;
  AtariEnv env;
  std::vector<uint8_t> obs = std::vector<uint8_t>(kFrame);
  uint8_t ram[kRamBytes];
};

class EveryGame : public testing::TestWithParam<const char*> {
 protected:
  // Observations that show every pixel of every screen, so that no difference is hidden.
  static AtariEnv::Config Config() {
    AtariEnv::Config config;
    config.rom = GetParam();
    config.stack_num = 1;
    config.frame_skip = {1, 4};
    config.img_height = 210;
    config.img_width = kScreenWidth;
    config.repeat_action_probability = 0.25;
    return config;
  }
};

TEST_P(EveryGame, GoesOnFromAState) {
  const auto num_actions = static_cast<int64_t>(ActionsOf(Config()).size());
  Rng actions(3);
  Player saved(Config(), 1), loaded(Config(), 2);
  for (int i = 0; i < 60; ++i) saved.Step(static_cast<int32_t>(actions.Integers(0, num_actions)));
  for (int i = 0; i < 25; ++i) loaded.Step(static_cast<int32_t>(actions.Integers(0, num_actions)));
  for (int fork = 0; fork < 3; ++fork) {
    const std::string state = saved.Save();
    ASSERT_TRUE(loaded.Load(state));
    ASSERT_EQ(loaded.Save(), state);
    for (int step = 0; step < 100; ++step) {
      const auto action = static_cast<int32_t>(actions.Integers(0, num_actions));
      ASSERT_EQ(saved.Step(action), loaded.Step(action)) << "fork " << fork << " step " << step;
    }
    ASSERT_EQ(saved.Save(), loaded.Save()) << "fork " << fork;
    saved.env.Reset();
    loaded.env.Reset();
    ASSERT_EQ(saved.Screen(), loaded.Screen());
    for (int i = 0; i < 7; ++i) loaded.Step(0);
  }
}

INSTANTIATE_TEST_SUITE_P(Atari, EveryGame, testing::ValuesIn(kRoms),
                         [](const auto& game) { return std::string(game.param); });

TEST(AtariState, RefusesOtherBytes) {
  AtariEnv::Config config;
  config.rom = "pong";
  Player player(config, 1), other(config, 2);
  const std::string state = player.Save();
  EXPECT_FALSE(other.Load(state.substr(0, state.size() - 1)));
  EXPECT_FALSE(other.Load(""));
  EXPECT_TRUE(other.Load(state));
}

}  // namespace
}  // namespace parallel_pool::atari
