#include "parallel_pool/envs/atari/atari_env.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "ale/ale_interface.hpp"
#include "parallel_pool/envs/atari/shrink.h"

namespace parallel_pool::atari {
namespace {

constexpr const char* kRoms[] = {
#include "parallel_pool/envs/atari/rom_names.inc"
};

// One observation.
struct Seen {
  std::vector<uint8_t> obs, ram;
  int32_t lives = -7, terminated = -7;
  float reward = -7;

  bool operator==(const Seen&) const = default;
};

Seen Look(const AtariEnv& env, const AtariEnv::Config& config) {
  const auto spec = AtariEnv::Describe(config);
  Seen seen{std::vector<uint8_t>(spec.state[0].size), std::vector<uint8_t>(kRamBytes)};
  env.Observe({.obs = {seen.obs.data(), seen.obs.size()},
               .lives = {&seen.lives, 1},
               .reward = {&seen.reward, 1},
               .terminated = {&seen.terminated, 1},
               .ram = {seen.ram.data(), seen.ram.size()},
               .sound = {}});
  return seen;
}

Outcome Act(AtariEnv& env, int32_t action) {
  return env.Step({.index = {&action, 1}, .stick = {}});
}

// A game and its reference: another emulator, read by ALE's own interface.
class EveryGame : public testing::TestWithParam<const char*> {
 protected:
  static constexpr int kSkip = 4;

  EveryGame() {
    ale::Logger::setMode(ale::Logger::Error);
    ale_.setFloat("repeat_action_probability", 0.0f);
    ale_.setInt("random_seed", 1);
    ale_.loadROM(FindRom(GetParam()).path);
    // The unchanged screen in gray: this tests which screens an observation has.
    config_.rom = GetParam();
    config_.img_height = static_cast<int>(ale_.getScreen().height());
    config_.img_width = kScreenWidth;
    config_.stack_num = 1;
    config_.noop_max = 0;
    config_.use_fire_reset = false;
  }

  std::vector<uint8_t> Gray() {
    std::vector<uint8_t> gray;
    ale_.getScreenGrayscale(gray);
    return gray;
  }

  // Steps ALE; returns the expected observation.
  Seen Expected(int action) {
    Seen seen{.obs = Gray(), .ram = {}, .reward = 0};
    std::vector<uint8_t> older;
    for (int i = 0; i < kSkip && !ale_.game_over(); ++i) {
      if (i > 0) older = seen.obs;
      seen.reward += static_cast<float>(ale_.act(ale_.getMinimalActionSet()[action]));
      seen.obs = Gray();
    }
    for (size_t i = 0; i < older.size(); ++i) seen.obs[i] = std::max(seen.obs[i], older[i]);
    seen.ram.assign(ale_.getRAM().array(), ale_.getRAM().array() + kRamBytes);
    seen.lives = ale_.lives();
    seen.terminated = ale_.game_over();
    return seen;
  }

  ale::ALEInterface ale_;
  AtariEnv::Config config_;
};

TEST_P(EveryGame, ShowsTheScreensOfAle) {
  Rng rng(1), actions(2);
  AtariEnv env(config_, rng);
  env.Seed(1);
  const int count = static_cast<int>(ale_.getMinimalActionSet().size());
  bool over = true;
  for (int step = 0; step < 150; ++step) {
    if (over) {
      env.Reset();
      ale_.reset_game();
      ASSERT_EQ(Look(env, config_).obs, Gray());
    }
    const int action = static_cast<int>(actions.Integers(0, count));
    const Seen expected = Expected(action);
    over = Act(env, action).terminated;
    const Seen seen = Look(env, config_);
    ASSERT_EQ(over, expected.terminated == 1) << "step " << step;
    ASSERT_EQ(seen.ram, expected.ram) << "step " << step;
    ASSERT_TRUE(seen.obs == expected.obs) << "step " << step;
    ASSERT_TRUE(seen == expected) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Roms, EveryGame, testing::ValuesIn(kRoms),
                         [](const auto& info) { return std::string(info.param); });

AtariEnv::Config Breakout() {
  AtariEnv::Config config;
  config.rom = "breakout";
  return config;
}

TEST(AtariEnv, HasTheGamesForOnePlayer) {
  EXPECT_EQ(std::size(kRoms), 104u);
  EXPECT_EQ(std::set<std::string>(std::begin(kRoms), std::end(kRoms)).count("warlords"), 0u);
}

TEST(AtariEnv, RepeatsItselfWithTheSameSeed) {
  const auto play = [](AtariEnv& env, const AtariEnv::Config& config) {
    std::vector<Seen> seen;
    Rng actions(3);
    env.Reset();
    for (int i = 0; i < 40; ++i) {
      if (Act(env, static_cast<int32_t>(actions.Integers(0, 4))).terminated) env.Reset();
      seen.push_back(Look(env, config));
    }
    return seen;
  };
  AtariEnv::Config config = Breakout();
  config.repeat_action_probability = 0.5;
  Rng rng(5), same_rng(5), other_rng(5);
  AtariEnv env(config, rng), same(config, same_rng), other(config, other_rng);
  env.Seed(5);
  same.Seed(5);
  other.Seed(6);
  const auto first = play(env, config);
  EXPECT_TRUE(first == play(same, config));
  EXPECT_FALSE(first == play(other, config));
  EXPECT_FALSE(first == play(env, config));
  // After Seed, earlier episodes have no effect.
  rng = Rng(5);
  env.Seed(5);
  EXPECT_TRUE(first == play(env, config));
}

TEST(AtariEnv, ContinuesAfterALife) {
  AtariEnv::Config config = Breakout();
  config.episodic_life = true;
  config.zero_discount_on_life_loss = true;
  Rng rng(1);
  AtariEnv env(config, rng);
  env.Reset();
  for (int lives = 5; lives > 0; --lives) {
    ASSERT_EQ(Look(env, config).lives, lives);
    Outcome outcome;
    while (!outcome.terminated) {
      EXPECT_EQ(outcome.discount, 1.0f);
      outcome = Act(env, 0);
    }
    EXPECT_EQ(outcome.discount, 0.0f);
    EXPECT_EQ(Look(env, config).terminated, lives == 1);
    EXPECT_EQ(env.Continue(), lives > 1);
  }
}

TEST(AtariEnv, StacksTheOldestFrameFirst) {
  const AtariEnv::Config config = Breakout();
  Rng rng(1);
  AtariEnv env(config, rng);
  env.Reset();
  const size_t frame = 84 * 84, size = 4 * frame;
  std::vector<uint8_t> before = Look(env, config).obs;
  ASSERT_EQ(before.size(), size);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + frame, before.begin() + i * frame));
  }
  for (int step = 0; step < 9; ++step) {
    Act(env, 1 + step % 3);
    const std::vector<uint8_t> after = Look(env, config).obs;
    EXPECT_TRUE(std::equal(before.begin() + frame, before.end(), after.begin()));
    EXPECT_FALSE(std::equal(after.end() - frame, after.end(), before.end() - frame));
    before = after;
  }
}

std::string Refusal(const AtariEnv::Config& config) {
  try {
    AtariEnv::Describe(config);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "accepted";
}

TEST(AtariEnv, RefusesWhatTheGameDoesNotHave) {
  AtariEnv::Config config = Breakout();
  EXPECT_EQ(Refusal(config), "accepted");
  config.mode = 8;
  EXPECT_EQ(Refusal(config), "accepted");
  config.mode = 3;
  EXPECT_EQ(Refusal(config),
            "mode=3: breakout has 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44 (and -1, its "
            "default)");
  config.mode = -1;
  config.difficulty = 2;
  EXPECT_EQ(Refusal(config), "difficulty=2: breakout has 0, 1 (and -1, its default)");
  config.rom = "no_such_game";
  EXPECT_NE(Refusal(config).find("roms/no_such_game.bin cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace parallel_pool::atari
