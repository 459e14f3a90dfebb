#include "parallel_pool/envs/atari/players/scores.h"

#include <array>

namespace parallel_pool::atari {
namespace {

// The reward of the first player is its gain on the second since the last frame.
void ReadLead(int lead, Tally& tally) {
  tally.reward = {lead - tally.score[0], tally.score[0] - lead};
  tally.score[0] = lead;
}

// A reward is the gain of the player since the last frame.
void ReadScores(int first, int second, Tally& tally) {
  tally.reward = {first - tally.score[0], second - tally.score[1]};
  tally.score = {first, second};
}

// Counts a frame. Whether the player who is to act has waited for `limit` frames; the count then
// begins again.
bool WaitsTooLong(int limit, Tally& tally) {
  if (++tally.waited < limit) return false;
  tally.waited = 0;
  return true;
}

}  // namespace

void ReadPong(Ram ram, int, Tally& tally) {
  const int left = ram[0x8d], right = ram[0x8e];
  ReadLead(right - left, tally);
  const bool awaits_serve = (ram[0x8c] & 0xf0) == 0;
  if (!awaits_serve) {
    tally.waited = 0;
  } else if (WaitsTooLong(120, tally)) {
    --tally.reward[ram[0x92] == 0 ? 1 : 0];
  }
  tally.reward[2] = tally.reward[0];
  tally.reward[3] = tally.reward[1];
  tally.over = left == 21 || right == 21;
}

void ReadBoxing(Ram ram, int, Tally& tally) {
  const auto punches = [&](int address) {
    return ram[address] == 0xc0 ? 100 : ram.Decimal(address);
  };
  const int first = punches(0x92), second = punches(0x93);
  ReadLead(first - second, tally);
  const bool is_time_up = ram[0x90] >> 4 == 0 && ram.Decimal(0x91) == 0;
  tally.over = first == 100 || second == 100 || is_time_up;
}

void ReadTennis(Ram ram, int, Tally& tally) {
  const int points = ram[0xc5] - ram[0xc6], first = ram[0xc7], second = ram[0xc8];
  const int games = first - second;
  const bool game_ended = games != tally.score[0];
  const int gain = game_ended ? games - tally.score[0] : points - tally.score[1];
  if (game_ended) ++tally.games;
  tally.reward = {gain, -gain};
  tally.score = {games, points};
  const auto wins = [](int own, int other) { return own == 7 || (own >= 6 && own - other >= 2); };
  tally.over = wins(first, second) || wins(second, first);
  if (ram[0xcc] == 0) tally.waited = 0;
  if (!WaitsTooLong(180, tally)) return;
  tally.reward = {};
  tally.reward[tally.games % 2] = -1;  // the player who serves
}

void ReadIceHockey(Ram ram, int, Tally& tally) {
  ReadLead(ram.Decimal(0x8a) - ram.Decimal(0x8b), tally);
  tally.over = ram[0x87] == 0 && ram[0x86] == 0;
}

void ReadCombat(Ram ram, int, Tally& tally) {
  const int first = ram.Decimal(0xa1), second = ram.Decimal(0xa2);
  ReadLead(first - second, tally);
  tally.over = first == 99 || second == 99 || ram[0x88] == 0;
}

void ReadDoubleDunk(Ram ram, int, Tally& tally) {
  const int first = ram.Decimal(0xf6), second = ram.Decimal(0xf7);
  ReadLead(first - second, tally);
  tally.over = (first >= 24 || second >= 24) && ram[0xfe] == 0xe7;
  // Bit 6: the second team is to throw in, bit 7: the first; 0: both choose a play.
  const int awaited = ram[0x89];
  if (awaited != 0 && (awaited & 0xc0) == 0) tally.waited = 0;
  if (!WaitsTooLong(121, tally)) return;
  if (awaited == 0) {
    tally.reward = {-1, -1};
  } else if ((awaited & 0x40) != 0) {
    tally.reward = {0, -1};
  } else if ((awaited & 0x80) != 0) {
    tally.reward = {-1, 0};
  }
}

void ReadEntombed(Ram ram, int mode, Tally& tally) {
  constexpr int kCooperative = 3;
  tally.lives = {ram[0xc7] & 3, ram[0xc7] >> 4 & 3};
  if (mode == kCooperative) {
    const int gain = ram[0xef] > tally.level ? 1 : 0;
    tally.reward = {gain, gain};
    tally.level = ram[0xef];
  } else {
    ReadLead(tally.lives[0] - tally.lives[1], tally);
  }
  tally.over = tally.lives[0] == 0 || tally.lives[1] == 0;
}

void ReadFlagCapture(Ram ram, int, Tally& tally) {
  const int first = ram.Decimal(0xab), second = ram.Decimal(0xeb);
  ReadScores(first, second, tally);
  tally.over = first == 99 || second == 99;
}

void ReadJoust(Ram ram, int, Tally& tally) {
  constexpr int kMostPoints = 990000;
  const int first = 10000 * ram.Decimal(0x83) + ram.Decimal(0x85, 0x87);
  const int second = 10000 * ram.Decimal(0x84) + ram.Decimal(0x86, 0x88);
  ReadScores(first, second, tally);
  tally.lives = {static_cast<int8_t>(ram[0x81]), static_cast<int8_t>(ram[0x82])};
  const bool are_dead = tally.lives[0] == -1 && tally.lives[1] == -1;
  tally.over = first >= kMostPoints || second >= kMostPoints || are_dead;
}

void ReadMarioBros(Ram ram, int, Tally& tally) {
  ReadScores(100 * ram.Decimal(0x89, 0x8a), 100 * ram.Decimal(0x8b, 0x8c), tally);
  tally.lives = {ram[0x87] - 1, ram[0x88] - 1};
  tally.over = tally.lives[0] == -1 && tally.lives[1] == -1;
}

void ReadMazeCraze(Ram ram, int, Tally& tally) {
  tally.reward = {};
  for (int p = 0; p < 2; ++p) {
    const bool is_caught = (ram[0xea + p] & 0x40) != 0;
    if (tally.lives[p] == 0 && is_caught) tally.lives[p] = tally.reward[p] = -1;
  }
  // 1: the first player has left the maze; -1: the second.
  const int winner = (ram[0xec] == 0xff ? 1 : 0) - (ram[0xed] == 0xff ? 1 : 0);
  if (winner != 0 && tally.lives[0] < 0) {
    tally.reward[1] = 1;
  } else if (winner != 0 && tally.lives[1] < 0) {
    tally.reward[0] = 1;
  } else if (winner != 0) {
    tally.reward = {winner, -winner};
  }
  tally.over = winner != 0 || (tally.lives[0] < 0 && tally.lives[1] < 0);
}

void ReadOthello(Ram ram, int, Tally& tally) {
  ReadLead(ram.Decimal(0xce) - ram.Decimal(0xd0), tally);
  tally.idle = ram[0xc0] == 0 ? tally.idle + 1 : 0;
  tally.over = tally.idle > 75;
  if (tally.reward[0] != 0) tally.waited = 0;
  if (WaitsTooLong(600, tally)) tally.reward[ram[0xc0] == 0xff ? 0 : 1] = -1;
}

void ReadSpaceInvaders(Ram ram, int, Tally& tally) {
  ReadScores(ram.Decimal(0xe6, 0xe8), ram.Decimal(0xe7, 0xe9), tally);
  for (int p = 0; p < 2; ++p) {
    if (tally.reward[p] < 0) tally.reward[p] += 10000;  // the score has four digits
  }
  tally.lives = {ram[0xc9] - 1, ram[0xc9] - 1};  // shared
  tally.over = (ram[0x98] & 0x80) != 0 || tally.lives[0] == -1;
}

void ReadSpaceWar(Ram ram, int, Tally& tally) {
  const int first = ram.Decimal(0xa7), second = ram.Decimal(0xa8);
  ReadLead(first - second, tally);
  tally.over = first == 10 || second == 10 || ram[0x80] == 0;
}

void ReadSurround(Ram ram, int, Tally& tally) {
  const int first = ram.Decimal(0xf7), second = ram.Decimal(0xf6);
  ReadLead(first - second, tally);
  tally.over = first == 10 || second == 10;
}

void ReadVideoCheckers(Ram ram, int, Tally& tally) {
  int black = 0, white = 0;
  for (int square = 0x80; square <= 0xa2; ++square) {
    if (square % 9 == 0x88 % 9) continue;  // between the rows
    const int stone = ram[square];
    if (stone == 0x10 || stone == 0x20) ++black;
    if (stone == 0x90 || stone == 0xa0) ++white;
  }
  const bool is_second = ram[0xc0] >> 4 != 0;
  if (is_second != tally.is_second) tally.waited = 0;
  tally.is_second = is_second;
  tally.reward = {};
  if (WaitsTooLong(601, tally)) tally.reward[is_second ? 1 : 0] = -1;
  if (black != 0 && white != 0) return;
  tally.reward = black == 0 ? std::array{-1, 1, 0, 0} : std::array{1, -1, 0, 0};
  tally.over = true;
}

void ReadWarlords(Ram ram, int, Tally& tally) {
  int alive = 0;
  for (int p = 0; p < kMostPlayers; ++p) {
    const int lives = (ram[0xee] & 0x80 >> p) != 0 ? -1 : 0;
    tally.reward[p] = lives < tally.lives[p] ? -1 : 0;
    tally.lives[p] = lives;
    if (lives == 0) ++alive;
  }
  tally.over = alive <= 1;
  if (!tally.over) return;
  for (int p = 0; p < kMostPlayers; ++p) {
    if (tally.lives[p] == 0) tally.reward[p] = 1;
  }
}

void ReadWizardOfWor(Ram ram, int, Tally& tally) {
  const auto score = [&](int high, int low) {
    const int value = ram.Decimal(high, low);
    return 100 * (value >= 8000 ? value - 8000 : value);
  };
  ReadScores(score(0x88, 0x86), score(0x87, 0x85), tally);
  const int first = (ram[0x8d] & 15) - 1, second = (ram[0x8c] & 15) - 1;
  tally.over = first == -1 && second == -1 && ram[0xf4] == 0xf8;
  // The number is not valid while a wizard enters the maze.
  if ((ram[0xd7] & 1) == 0) tally.lives[0] = first;
  if ((ram[0xd6] & 1) == 0) tally.lives[1] = second;
}

}  // namespace parallel_pool::atari
