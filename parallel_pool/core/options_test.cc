#include "parallel_pool/core/options.h"

#include "gtest/gtest.h"

namespace parallel_pool {
namespace {

struct Config {
  int16_t skip = 4;
  bool clip = true;
  float gain = 0.5f;
  std::string rom = "pong";
};

TEST(Option, ReadsTheDefault) {
  EXPECT_EQ(Option<&Config::skip>("skip", "").get({}).integer, 4);
  EXPECT_EQ(Option<&Config::skip>("skip", "").get({}).type, OptionType::kInt);
  EXPECT_EQ(Option<&Config::clip>("clip", "").get({}).integer, 1);
  EXPECT_EQ(Option<&Config::clip>("clip", "").get({}).type, OptionType::kBool);
  EXPECT_EQ(Option<&Config::gain>("gain", "").get({}).real, 0.5);
  const Config config;
  EXPECT_STREQ(Option<&Config::rom>("rom", "").get(config).text, "pong");
}

TEST(Option, SetsItsMemberOnly) {
  Config config;
  Option<&Config::skip>("skip", "").set(config, {OptionType::kInt, 7, 0, nullptr});
  Option<&Config::rom>("rom", "").set(config, {OptionType::kString, 0, 0, "qbert"});
  EXPECT_EQ(config.skip, 7);
  EXPECT_EQ(config.rom, "qbert");
  EXPECT_TRUE(config.clip);
  EXPECT_EQ(config.gain, 0.5f);
}

TEST(Option, RangeIsNoWiderThanTheMember) {
  EXPECT_EQ(Option<&Config::skip>("skip", "", {.min = 1}).range.min, 1);
  EXPECT_EQ(Option<&Config::skip>("skip", "", {.min = 1}).range.max, 32767);
}

}  // namespace
}  // namespace parallel_pool
