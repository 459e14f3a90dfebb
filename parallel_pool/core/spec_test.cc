#include "parallel_pool/core/spec.h"

#include <array>

#include "gtest/gtest.h"

namespace parallel_pool {
namespace {

struct State {
  View<float> position;
  View<uint8_t> image;
};

TEST(Array, TakesNameTypeAndSizeFromTheMember) {
  const auto array = Array<&State::image>("obs:image", Box({2, 3}, {0}, {255}));
  EXPECT_EQ(array.size, 6u);
  EXPECT_EQ(array.row_bytes, 6u);
  const ArraySpec spec = array.spec();
  EXPECT_STREQ(spec.name, "obs:image");
  EXPECT_EQ(spec.dtype, DType::kUint8);
  EXPECT_EQ(spec.kind, SpaceKind::kBox);
  ASSERT_EQ(spec.shape.size, 2);
  EXPECT_EQ(spec.shape[1], 3);
  EXPECT_EQ(spec.high[0], 255);
}

TEST(Discrete, BeginsAnywhere) {
  const Space from_zero = Discrete(3), from_below = Discrete(3, -1);
  EXPECT_EQ(from_zero.low[0], 0);
  EXPECT_EQ(from_zero.high[0], 2);
  EXPECT_EQ(from_below.low[0], -1);
  EXPECT_EQ(from_below.high[0], 1);
}

TEST(Discrete, MayNameItsValues) {
  struct Action { View<const int32_t> move; };
  const auto array = Array<&Action::move>("move", Discrete({"LEFT", "NOOP", "RIGHT"}));
  EXPECT_EQ(array.spec().low[0], 0);
  EXPECT_EQ(array.spec().high[0], 2);
  EXPECT_STREQ(array.spec().meanings, "LEFT\nNOOP\nRIGHT");
  EXPECT_STREQ((Array<&Action::move>("move", Discrete(3)).spec().meanings), "");
  EXPECT_THROW((Array<&Action::move>("move", Discrete({"LEFT", "TWO\nLINES"}))),
               std::invalid_argument);
}

TEST(Spaces, NeedTheirTypes) {
  struct Mixed {
    View<float> real;
    View<uint8_t> byte;
    View<int16_t> small;
  };
  EXPECT_EQ((Array<&Mixed::byte>("a", Text(5)).row_bytes), 5u);
  EXPECT_EQ((Array<&Mixed::small>("a", MultiDiscrete({2, 3})).row_bytes), 4u);
  EXPECT_EQ(MultiDiscrete({2, 3}).high, (std::vector<double>{1, 2}));
  EXPECT_THROW((Array<&Mixed::real>("a", Discrete(2))), std::invalid_argument);
  EXPECT_THROW((Array<&Mixed::real>("a", MultiDiscrete({2}))), std::invalid_argument);
  EXPECT_THROW((Array<&Mixed::byte>("a", MultiBinary(2))), std::invalid_argument);
  EXPECT_THROW((Array<&Mixed::small>("a", Text(5))), std::invalid_argument);
}

TEST(RowViews, AreViewsOfEachColumn) {
  std::array<float, 6> positions{};
  std::array<uint8_t, 9> images{};
  std::byte* const columns[] = {reinterpret_cast<std::byte*>(images.data()),
                                reinterpret_cast<std::byte*>(positions.data())};
  const internal::RowViews<State> rows({Array<&State::image>("obs:image", Box({3}, {0}, {255})),
                                        Array<&State::position>("obs", Box({2}, {-kInf}, {kInf}))},
                                       columns);
  rows[2].position.Assign(1.5, -2);
  for (uint8_t& pixel : rows[1].image) pixel = 7;
  EXPECT_EQ(positions, (std::array<float, 6>{0, 0, 0, 0, 1.5f, -2.0f}));
  EXPECT_EQ(images, (std::array<uint8_t, 9>{0, 0, 0, 7, 7, 7, 0, 0, 0}));
}

TEST(RowViews, OfADerivedStructHaveTheArraysOfItsBases) {
  struct Mood { View<int32_t> mood; };
  struct Derived : Mood, State {};
  float positions[2] = {};
  int32_t moods[2] = {};
  std::byte* const columns[] = {reinterpret_cast<std::byte*>(positions),
                                reinterpret_cast<std::byte*>(moods)};
  const internal::RowViews<Derived> rows({Array<&State::position>("obs", Box({}, {0}, {1})),
                                          Array<&Mood::mood>("info:mood", Box({}, {0}, {9}))},
                                         columns);
  EXPECT_EQ(rows[1].position.data, positions + 1);
  EXPECT_EQ(rows[1].mood.data, moods + 1);
  EXPECT_EQ(rows[1].image.data, nullptr);
}

TEST(RowViews, LeaveViewsWithoutAnArrayEmpty) {
  uint8_t pixels[2] = {};
  std::byte* const column = reinterpret_cast<std::byte*>(pixels);
  const internal::RowViews<State> rows({Array<&State::image>("obs", Box({}, {0}, {255}))}, &column);
  EXPECT_EQ(rows[1].image.data, pixels + 1);
  EXPECT_EQ(rows[1].position.data, nullptr);
  EXPECT_EQ(rows[1].position.size, 0u);
}

TEST(RowViews, MayBeOfNothing) {
  struct Nothing {};
  const internal::RowViews<Nothing> rows({}, nullptr);
  static_cast<void>(rows[3]);
}

TEST(Array, HasRoomForEachPlayer) {
  const auto array =
      Array<&State::position>("obs", PerPlayer(3, Box({2}, {-1, -2}, {1})));  // of one player
  EXPECT_EQ(array.size, 6u);
  EXPECT_EQ(array.row_bytes, 24u);
  EXPECT_EQ(array.spec().players, 3);
  EXPECT_EQ(array.spec().shape.size, 1);
  std::array<float, 12> positions{};
  std::byte* const column = reinterpret_cast<std::byte*>(positions.data());
  internal::RowViews<State>({array}, &column)[1].position[2 * 2] = 5;
  EXPECT_EQ(positions[10], 5.0f);
  EXPECT_EQ((Array<&State::position>("obs", Box({2}, {0}, {1})).spec().players), 0);
}

TEST(PerPlayer, RefusesANumberOutOfRange) {
  for (const int32_t players : {0, -1, kMostPlayers + 1}) {
    EXPECT_THROW(PerPlayer(players, Discrete(2)), std::invalid_argument);
  }
  EXPECT_EQ(PerPlayer(kMostPlayers, Discrete(2)).players, kMostPlayers);
}

TEST(PlayersOf, IsTheSameForAllArrays) {
  const auto one = Array<&State::position>("obs:one", PerPlayer(2, Box({}, {0}, {1})));
  const auto two = Array<&State::image>("obs:two", PerPlayer(3, Box({}, {0}, {1})));
  const auto none = Array<&State::image>("obs:none", Box({}, {0}, {1}));
  const ArraySpec specs[] = {none.spec(), one.spec(), two.spec()};
  EXPECT_EQ(PlayersOf({}, {specs, 1}), 0);
  EXPECT_EQ(PlayersOf({specs, 1}, {specs + 1, 1}), 2);
  EXPECT_EQ(PlayersOf({specs + 2, 1}, {specs, 1}), 3);
  EXPECT_THROW(PlayersOf({specs + 2, 1}, {specs, 2}), std::invalid_argument);
}

TEST(Discrete, CountsFromZero) {
  const Space space = Discrete(4);
  EXPECT_TRUE(space.shape.empty());
  EXPECT_EQ(space.low[0], 0);
  EXPECT_EQ(space.high[0], 3);
}

}  // namespace
}  // namespace parallel_pool
