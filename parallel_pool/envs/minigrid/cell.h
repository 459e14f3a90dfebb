// The content of a cell of the grid.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace parallel_pool::minigrid {

// The reference's types of objects, with its numbers. Its doors are one type with three states;
// here each state is a kind, so kind and color fit in one byte.
enum class Kind : uint8_t {
  kUnseen,
  kEmpty,
  kWall,
  kFloor,
  kOpenDoor,
  kKey,
  kBall,
  kBox,
  kGoal,
  kLava,
  kAgent,
  kClosedDoor,
  kLockedDoor
};
inline constexpr int kKinds = 13;

enum class Color : uint8_t { kRed, kGreen, kBlue, kPurple, kYellow, kGrey };
inline constexpr int kColors = 6;

// The order of the reference's COLOR_NAMES, from which it draws.
inline constexpr std::array<Color, kColors> kDrawnColors = {
    Color::kBlue, Color::kGreen, Color::kGrey, Color::kPurple, Color::kRed, Color::kYellow};

// The kind and the color of an object: all that an observation shows of it. 0 is an unseen cell.
using Look = uint8_t;
inline constexpr int kLooks = kKinds * 8;
constexpr Look LookOf(Kind kind, Color color) {
  return static_cast<Look>(static_cast<int>(kind) * 8 + static_cast<int>(color));
}
constexpr Kind KindOf(Look look) {
  return static_cast<Kind>(look / 8);
}
constexpr Color ColorOf(Look look) {
  return static_cast<Color>(look % 8);
}

// As in missions.
constexpr std::string_view NameOf(Color color) {
  constexpr std::string_view kNames[] = {"red", "green", "blue", "purple", "yellow", "grey"};
  return kNames[static_cast<int>(color)];
}
constexpr std::string_view NameOf(Kind kind) {
  constexpr std::string_view kNames[] = {"unseen", "empty", "wall", "floor", "door", "key", "ball",
                                         "box",    "goal",  "lava", "agent", "door", "door"};
  return kNames[static_cast<int>(kind)];
}

constexpr bool IsDoor(Kind kind) {
  return kind == Kind::kOpenDoor || kind == Kind::kClosedDoor || kind == Kind::kLockedDoor;
}
constexpr bool CanBePickedUp(Kind kind) {
  return kind == Kind::kKey || kind == Kind::kBall || kind == Kind::kBox;
}
// The agent can go there.
constexpr bool CanBeEntered(Kind kind) {
  return kind == Kind::kEmpty || kind == Kind::kFloor || kind == Kind::kOpenDoor ||
         kind == Kind::kGoal || kind == Kind::kLava;
}
// The agent cannot see what is behind.
constexpr bool IsOpaque(Kind kind) {
  return kind == Kind::kWall || kind == Kind::kClosedDoor || kind == Kind::kLockedDoor;
}

// The reference's numbers of a look: type, color, state. An open door has state 0, a closed one 1,
// a locked one 2; all else has 0.
constexpr std::array<uint8_t, 3> Encode(Look look) {
  const Kind kind = KindOf(look);
  const auto type = static_cast<uint8_t>(IsDoor(kind) ? Kind::kOpenDoor : kind);
  const uint8_t state = kind == Kind::kClosedDoor ? 1 : kind == Kind::kLockedDoor ? 2 : 0;
  return {type, static_cast<uint8_t>(ColorOf(look)), state};
}

// A cell, or an object apart from the grid (carried, or in a box). `id` tells objects of one look
// apart; what is not unique (an empty cell, walls, floors, lava, goals) has 0.
struct Cell {
  Look look;
  uint8_t id = 0;

  constexpr Kind kind() const { return KindOf(look); }
  constexpr Color color() const { return ColorOf(look); }
  constexpr bool is_empty() const { return kind() == Kind::kEmpty; }
  bool operator==(const Cell&) const = default;
};

inline constexpr Cell kEmpty = {LookOf(Kind::kEmpty, Color::kRed)};
inline constexpr Cell kWall = {LookOf(Kind::kWall, Color::kGrey)};
inline constexpr Cell kGoal = {LookOf(Kind::kGoal, Color::kGreen)};
inline constexpr Cell kLava = {LookOf(Kind::kLava, Color::kRed)};

}  // namespace parallel_pool::minigrid
