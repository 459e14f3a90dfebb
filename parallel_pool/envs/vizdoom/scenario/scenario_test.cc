#include "parallel_pool/envs/vizdoom/scenario/scenario.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

namespace parallel_pool::vizdoom {
namespace {

std::filesystem::path Write(const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "scenario.cfg";
  std::ofstream(file) << text;
  return file;
}

Scenario Read(const std::string& text) {
  Scenario scenario;
  ReadScenario(Write(text), scenario);
  return scenario;
}

// The message of the error of a file, after the file's name.
std::string ErrorOf(const std::string& text) {
  try {
    Read(text);
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    return message.substr(message.find("line"));
  }
  return "";
}

TEST(ScenarioTest, AFileSetsWhatItNames) {
  const Scenario s = Read(
      "# a comment\n\n"
      "doom_scenario_path = some.wad\r\n"
      "DOOM_SKILL=5\n"
      "livingReward = -0.001\n"
      "render_hud = True\n"
      "render_weapon = 0\n"
      "screen_resolution = res_160x120\n"
      "screen_format = CRCGCB\n"
      "mode = async_player\n"
      "game_args += +sv_noautoaim 1\n");
  EXPECT_EQ(s.doom_scenario_path, "some.wad");
  EXPECT_EQ(s.doom_skill, 5);
  EXPECT_EQ(s.living_reward, -0.001);
  EXPECT_TRUE(s.render_hud);
  EXPECT_FALSE(s.render_weapon);
  EXPECT_EQ(SizeOf(s), (ImageSize{.height = 120, .width = 160}));
  EXPECT_EQ(s.screen_format, "RGB24");
  EXPECT_EQ(s.game_args, " +sv_noautoaim 1");
  EXPECT_EQ(s.episode_timeout, 0) << "the default";
}

TEST(ScenarioTest, ListsAreInOneLineOrMore) {
  const Scenario s = Read(
      "available_buttons =\n  {\n  ATTACK\n# no\n  turn_left_right_delta\n }\n"
      "available_buttons += { USE ATTACK }\n"
      "available_game_variables = { AMMO2 HEALTH USER60 PLAYER_NUMBER CAMERA_FOV}\n");
  EXPECT_EQ(FindAll(ButtonNames(), s.available_buttons, ""), (std::vector<int>{0, 39, 1}))
      << "each button once";
  EXPECT_EQ(s.available_game_variables.text, "AMMO2\nHEALTH\nUSER60\nPLAYER_NUMBER\nCAMERA_FOV");
  EXPECT_EQ(
      FindAll(VariableNames(), s.available_game_variables, ""),
      (std::vector<int>{kAmmo0 + 2, kHealth, kUser1 + 59, kPlayerNumber, kCameraPositionX + 6}));
  EXPECT_EQ(Read("available_game_variables = {  }\n").available_game_variables.text, "");
}

TEST(ScenarioTest, NamesAreAsManyAsTheEnginesNumbers) {
  EXPECT_EQ(ButtonNames().size(), 43u);
  EXPECT_EQ(ButtonNames()[kNumBinaryButtons], "LOOK_UP_DOWN_DELTA");
  EXPECT_EQ(VariableNames().size(), static_cast<size_t>(kNumVariables));
  EXPECT_EQ(VariableNames()[kPositionX], "POSITION_X");
  EXPECT_EQ(VariableNames()[kPlayer1FragCount], "PLAYER1_FRAGCOUNT");
}

TEST(ScenarioTest, ErrorsNameTheLineTheValueAndTheNearestWord) {
  EXPECT_TRUE(ErrorOf("\nrender_hut = true\n")
                  .starts_with("line 2: there is no key 'render_hut'; did you mean 'render_hud'?"));
  EXPECT_TRUE(
      ErrorOf("available_buttons = { ATTAK }")
          .starts_with("line 1: available_buttons cannot have 'ATTAK'; did you mean 'ATTACK'"));
  EXPECT_EQ(ErrorOf("doom_skill = 6"),
            "line 1: doom_skill cannot be '6'; allowed is a number from 1 to 5");
  EXPECT_EQ(ErrorOf("doom_skill = 1.5"),
            "line 1: doom_skill cannot be '1.5'; allowed is a number from 1 to 5");
  EXPECT_TRUE(ErrorOf("render_hud = yes").starts_with("line 1: render_hud cannot be 'yes'"));
  EXPECT_TRUE(ErrorOf("mode = PLAYR").starts_with("line 1: mode cannot be 'PLAYR'; did you mean"));
  EXPECT_EQ(ErrorOf("hello"), "line 1: 'hello' has no '='");
  EXPECT_EQ(ErrorOf("doom_skill += 1"), "line 1: doom_skill is not a list, so it cannot have '+='");
  EXPECT_EQ(ErrorOf("available_buttons = {\nUSE"), "line 2: available_buttons has no closing '}'");
  EXPECT_EQ(ErrorOf("available_buttons = USE }"),
            "line 1: available_buttons needs a list such as { A B }");
  EXPECT_THROW(ReadScenario("/no/such/file.cfg", *std::make_unique<Scenario>()),
               std::invalid_argument);
}

}  // namespace
}  // namespace parallel_pool::vizdoom
