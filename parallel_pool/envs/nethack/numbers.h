// Numbers of NetHack and nle.
#pragma once

namespace parallel_pool::nethack {

// Codes of keys.
inline constexpr int kSpace = ' ', kEscape = 27, kQuit = 0x80 | 'q';

// Places in Arrays::blstats, internal and program_state.
enum Stat { kX, kY, kScore = 9, kGold = 13, kTurns = 20, kDungeon = 23, kLevel = 24 };
enum Internal { kInQuestion = 1, kInText = 2, kWaitsForSpace = 3, kOnStairs = 4, kHunger = 7 };
enum ProgramState { kGameOver = 0, kInMoveLoop = 3 };

inline constexpr int kAscended = 15;  // Game::how_it_ended

}  // namespace parallel_pool::nethack
