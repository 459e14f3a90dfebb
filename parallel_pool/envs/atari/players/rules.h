// How the players of a game fare. multi-agent-ale-py 0.1.12 reads it from the console's RAM after
// each frame, and this is the same for the games of PettingZoo 1.27.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace parallel_pool::atari {

inline constexpr int kMostPlayers = 4;

// The 128 bytes of the console, by their addresses from 0x80 on.
class Ram {
 public:
  explicit Ram(const uint8_t* bytes) : bytes_(bytes) {}

  int operator[](int address) const { return bytes_[address & 0x7f]; }
  // The two decimal digits of a byte. A digit may be above 9.
  int Decimal(int address) const {
    const int value = (*this)[address];
    return 10 * (value >> 4) + (value & 15);
  }
  int Decimal(int high, int low) const { return 100 * Decimal(high) + Decimal(low); }

 private:
  const uint8_t* bytes_;
};

// The state of a game for its players.
struct Tally {
  std::array<int32_t, kMostPlayers> reward{};  // of the last frame
  std::array<int32_t, kMostPlayers> lives{};   // below 0: the player is out of the game
  std::array<int32_t, kMostPlayers> score{};
  bool over = false;
  bool is_second = false;  // Video Checkers: the second player is to move
  int32_t waited = 0;      // frames since the player who is to act has acted
  int32_t games = 0;       // Tennis: games that have ended
  int32_t level = 0;       // Entombed: rows that both players have passed
  int32_t idle = 0;        // Othello: frames without a cursor
};

struct GameRules {
  std::string_view rom;
  // The mode of the first reset of a new console. Its traces stay in the RAM.
  int first_mode;
  // ALE's numbers of the actions that this game uses. The first one is that of a player who is out.
  std::span<const int> actions;
  int first_lives;  // before the first frame
  void (*read)(Ram ram, int mode, Tally& tally);
  // Whether the console is in this mode. nullptr: a menu chooses the mode (Double Dunk).
  bool (*is_in_mode)(Ram ram, int mode);
  int select_frames;               // for which SELECT is held
  std::span<const int> beginning;  // actions, one for a frame, by which each player begins
  std::string_view md5 = "";       // of the ROM, where ALE has no rules for the game
  bool is_random = false;          // the RAM after a reset follows from that at power-on
};

// The rules of the game with this ROM.
const GameRules& RulesOf(std::string_view rom);

}  // namespace parallel_pool::atari
