#include "parallel_pool/core/options.h"

#include "gtest/gtest.h"

namespace parallel_pool {
namespace {

struct Config {
  int16_t skip = 4;
  bool clip = true;
  float gain = 0.5f;
  std::string rom = "pong";
  IntRange sizes = {3, 6};
  Lines map = {"ab\ncd"};
  Numbers<2> prizes = {1.5, 0.0};
  Arrays masses;
  IntOrString body = 1;
  NumbersByKey<std::string, 2> gains = {{{"health", {1, -2}}}};
  NumbersByKey<int, 1> slots;
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

TEST(Option, IsOneOfEachDerivedConfig) {
  struct Other { double first = 3; };
  struct Derived : Other, Config {};
  const Options<Derived> options = {Option<&Config::skip>("skip", "of frames", {.min = 1}),
                                    Option<&Other::first>("first", "")};
  Derived config;
  EXPECT_EQ(options[0].get(config).integer, 4);
  EXPECT_EQ(options[1].get(config).real, 3);
  options[0].set(config, {OptionType::kInt, 7, 0, nullptr});
  EXPECT_EQ(config.skip, 7);
  EXPECT_EQ(config.first, 3);
  EXPECT_EQ(options[0].doc, "of frames");
  EXPECT_EQ(options[0].range.max, 32767);
}

TEST(Option, IsARangeOfIntegers) {
  const auto option = Option<&Config::sizes>("sizes", "", {.min = 1});
  const OptionValue value = option.get({});
  EXPECT_EQ(value.type, OptionType::kIntRange);
  EXPECT_EQ(value.integer, 3);
  EXPECT_EQ(value.end, 6);
  Config config;
  option.set(config, {OptionType::kIntRange, 7, 0, nullptr, 9});
  EXPECT_EQ(config.sizes, (IntRange{7, 9}));
  EXPECT_EQ(option.range.min, 1);
  EXPECT_EQ(option.range.max, 2147483646);  // the end of a range fits, too
}

TEST(Option, IsLinesOfText) {
  const auto option = Option<&Config::map>("map", "");
  Config config;
  EXPECT_EQ(option.get(config).type, OptionType::kLines);
  EXPECT_STREQ(option.get(config).text, "ab\ncd");
  option.set(config, {OptionType::kLines, 0, 0, "e\nf"});
  EXPECT_EQ(config.map, (Lines{"e\nf"}));
}

TEST(Option, IsSomeNumbers) {
  const auto option = Option<&Config::prizes>("prizes", "", {.min = 0});
  Config config;
  const OptionValue value = option.get(config);
  EXPECT_EQ(value.type, OptionType::kNumbers);
  ASSERT_EQ(value.numbers.size, 2);
  EXPECT_EQ(value.integer, 2);
  EXPECT_EQ(value.numbers[0], 1.5);
  const double given[] = {3.0, 4.0};
  option.set(config, {OptionType::kNumbers, 0, 0, nullptr, 0, false, {given, 2}});
  EXPECT_EQ(config.prizes, (Numbers<2>{3.0, 4.0}));
  EXPECT_EQ(option.range.min, 0);
}

TEST(Option, IsArraysByName) {
  const auto option = Option<&Config::masses>("masses", "");
  Config config;
  EXPECT_EQ(option.get(config).type, OptionType::kArrays);
  EXPECT_EQ(option.get(config).arrays.size, 0);
  {
    const int32_t shape[] = {2};
    const double numbers[] = {1, 2}, one[] = {7};
    const OptionArray given[] = {{"legs", {shape, 1}, {numbers, 2}}, {"head", {}, {one, 1}}};
    option.set(config, {OptionType::kArrays, 0, 0, nullptr, 0, false, {}, {given, 2}});
  }
  const Config copy = config;
  const Span<OptionArray> arrays = option.get(copy).arrays;
  ASSERT_EQ(arrays.size, 2);
  EXPECT_STREQ(arrays[0].name, "legs");
  ASSERT_EQ(arrays[0].shape.size, 1);
  EXPECT_EQ(arrays[0].shape[0], 2);
  ASSERT_EQ(arrays[0].numbers.size, 2);
  EXPECT_EQ(arrays[0].numbers[1], 2);
  EXPECT_EQ(arrays[1].shape.size, 0);
  EXPECT_EQ(arrays[1].numbers[0], 7);
  EXPECT_EQ(arrays[0].numbers.data, option.get(config).arrays[0].numbers.data);
}

TEST(Option, IsANumberOrAName) {
  const auto option = Option<&Config::body>("body", "");
  Config config;
  EXPECT_EQ(option.get(config).type, OptionType::kIntOrString);
  EXPECT_EQ(option.get(config).integer, 1);
  EXPECT_EQ(option.get(config).text, nullptr);
  option.set(config, {OptionType::kIntOrString, 0, 0, "torso"});
  EXPECT_STREQ(option.get(config).text, "torso");
  option.set(config, {OptionType::kIntOrString, 5, 0, nullptr});
  EXPECT_EQ(config.body, IntOrString(5));
}

TEST(Option, IsNumbersByName) {
  const auto option = Option<&Config::gains>("gains", "", {.max = 9});
  Config config;
  const OptionValue value = option.get(config);
  EXPECT_EQ(value.type, OptionType::kNumbersByName);
  EXPECT_EQ(value.integer, 2);
  ASSERT_EQ(value.keyed.size, 1);
  EXPECT_STREQ(value.keyed[0].name, "health");
  EXPECT_EQ(value.keyed[0].numbers[1], -2);
  {
    const double one[] = {3, 4}, other[] = {5, 6};
    const KeyedNumbers given[] = {{"armor", 0, {one, 2}}, {"ammo", 0, {other, 2}}};
    option.set(config, {.type = OptionType::kNumbersByName, .keyed = {given, 2}});
  }
  const Config copy = config;
  config = {};
  EXPECT_EQ(copy.gains.map(),
            (std::map<std::string, Numbers<2>>{{"ammo", {5, 6}}, {"armor", {3, 4}}}));
  EXPECT_STREQ(option.get(copy).keyed[0].name, "ammo");
  EXPECT_EQ(option.get(copy).keyed[1].numbers[0], 3);
  EXPECT_EQ(option.range.max, 9);
}

TEST(Option, IsOneNumberForEachInt) {
  const auto option = Option<&Config::slots>("slots", "");
  Config config;
  EXPECT_EQ(option.get(config).type, OptionType::kNumbersByInt);
  EXPECT_EQ(option.get(config).integer, 1);
  EXPECT_EQ(option.get(config).keyed.size, 0);
  const double number = 0.5;
  const KeyedNumbers given[] = {{nullptr, -3, {&number, 1}}};
  option.set(config, {.type = OptionType::kNumbersByInt, .keyed = {given, 1}});
  EXPECT_EQ(config.slots.map(), (std::map<int, Numbers<1>>{{-3, {0.5}}}));
  EXPECT_EQ(option.get(config).keyed[0].number, -3);
}

TEST(Option, IsOneOfSomeWords) {
  static constexpr const char* kGames[] = {"pong", "qbert"};
  EXPECT_EQ(Option<&Config::rom>("rom", "", OneOf(kGames)).choices.size, 2);
  EXPECT_STREQ(Option<&Config::rom>("rom", "", OneOf(kGames)).choices[1], "qbert");
  EXPECT_EQ(Option<&Config::rom>("rom", "").choices.size, 0);
}

}  // namespace
}  // namespace parallel_pool
