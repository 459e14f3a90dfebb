#include "parallel_pool/envs/atari/players/rules.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "parallel_pool/envs/atari/players/scores.h"

namespace parallel_pool::atari {
namespace {

template <int address>
bool Shows(Ram ram, int mode) {
  return ram[address] == mode;
}
template <int address>
bool ShowsFromZero(Ram ram, int mode) {
  return ram[address] == mode - 1;
}
template <int address>
bool ShowsDecimal(Ram ram, int mode) {
  return ram.Decimal(address) == mode;
}
bool ShowsJoust(Ram ram, int mode) {
  return ram[0xf8] % 4 == mode;
}
bool ShowsEntombed(Ram ram, int mode) {
  return ram[0xf4] == (mode == 1 ? 1 : 0);
}

// Actions in ALE's numbers: see kActionNames.
constexpr int kAll[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
constexpr int kSideways[] = {0, 1, 3, 4, 11, 12};
constexpr int kDirections[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
constexpr int kWithoutFire[] = {0, 2, 3, 4, 5};
constexpr int kDiagonals[] = {1, 6, 7, 8, 9};
constexpr int kOfWizards[] = {1, 2, 3, 4, 5, 10, 11, 12, 13};

constexpr int kJump[] = {10};
constexpr int kFireOnce[] = {1, 0, 0, 0, 0, 0};
constexpr int kFireTenTimes[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
constexpr int kWaitAndFire[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1};

constexpr GameRules kGames[] = {
    {"boxing", 1, kAll, 0, ReadBoxing, Shows<0x92>, 1, {}},
    {"combat",
     1,
     kAll,
     0,
     ReadCombat,
     ShowsFromZero<0x80>,
     1,
     {},
     "0ef64cdbecccb7049752a3de0b7ade14",
     true},
    {"double_dunk", 0, kAll, 0, ReadDoubleDunk, nullptr, 1, kJump},
    {"entombed", 1, kAll, 0, ReadEntombed, ShowsEntombed, 1, kFireOnce, "", true},
    {"flag_capture", 8, kDirections, 0, ReadFlagCapture, Shows<0xd6>, 10, kFireTenTimes},
    {"ice_hockey", 0, kAll, 0, ReadIceHockey, Shows<0x80>, 2, {}, "", true},
    {"joust", 0, kAll, 5, ReadJoust, ShowsJoust, 1, {}, "3276c777cbe97cdd2b4a63ffc16b7151"},
    {"mario_bros", 1, kAll, 5, ReadMarioBros, ShowsFromZero<0x80>, 5, kWaitAndFire},
    {"maze_craze",
     0,
     kAll,
     0,
     ReadMazeCraze,
     Shows<0xbd>,
     2,
     {},
     "ed2218b3075d15eaa34e3356025ccca3",
     true},
    {"othello", 1, kDirections, 0, ReadOthello, Shows<0xde>, 2, {}},
    {"pong", 1, kSideways, 0, ReadPong, ShowsFromZero<0x96>, 2, {}},
    {"space_invaders", 1, kSideways, 2, ReadSpaceInvaders, ShowsFromZero<0xdc>, 2, {}},
    {"space_war", 6, kAll, 0, ReadSpaceWar, ShowsDecimal<0xa7>, 2, {}, "", true},
    {"surround", 2, kWithoutFire, 0, ReadSurround, ShowsFromZero<0xf9>, 2, {}, "", true},
    {"tennis", 1, kAll, 0, ReadTennis, ShowsFromZero<0x80>, 2, {}, "", true},
    {"video_checkers", 1, kDiagonals, 0, ReadVideoCheckers, ShowsDecimal<0xf6>, 1, {}},
    {"warlords",
     4,
     kSideways,
     0,
     ReadWarlords,
     ShowsFromZero<0xd9>,
     1,
     {},
     "cbe5a166550a8129a5e6d374901dffad"},
    {"wizard_of_wor", 0, kOfWizards, 2, ReadWizardOfWor, ShowsDecimal<0x81>, 1, {}},
};

}  // namespace

const GameRules& RulesOf(std::string_view rom) {
  const auto found = std::ranges::find(kGames, rom, &GameRules::rom);
  if (found != std::ranges::end(kGames)) return *found;
  throw std::logic_error("no rules for several players of " + std::string(rom));
}

}  // namespace parallel_pool::atari
