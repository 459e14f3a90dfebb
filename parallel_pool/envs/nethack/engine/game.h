// One game of NetHack in this process, with memory, files and a clock of its own. Any thread may
// call a game, one at a time.
#pragma once

#include <regex.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/envs/nethack/engine/arena.h"
#include "parallel_pool/envs/nethack/engine/files.h"
#include "parallel_pool/envs/nethack/engine/library.h"

namespace parallel_pool::nethack {

inline constexpr int kRows = 21, kColumns = 79;  // of the dungeon on the screen
inline constexpr int kTerminalRows = 24, kTerminalColumns = 80;
inline constexpr int kNumStats = 27, kInventory = 55, kLineBytes = 80, kMessageBytes = 256;

// All that NetHack shows after each key, in nle's names.
struct Arrays {
  int16_t glyphs[kRows * kColumns];
  uint8_t chars[kRows * kColumns], colors[kRows * kColumns], specials[kRows * kColumns];
  int64_t blstats[kNumStats];
  uint8_t message[kMessageBytes];
  int32_t program_state[6], internal[9], misc[3];
  int16_t inv_glyphs[kInventory];
  uint8_t inv_strs[kInventory * kLineBytes], inv_letters[kInventory], inv_oclasses[kInventory];
  uint8_t tty_chars[kTerminalRows * kTerminalColumns];
  int8_t tty_colors[kTerminalRows * kTerminalColumns];
  uint8_t tty_cursor[2];
};
// The arrays that NetHack fills only if it is asked to. A thing that it describes for an array
// counts as seen by the agent, so what is asked for can change the game.
struct Asked {
  bool inv_glyphs = true, inv_strs = true, inv_letters = true, inv_oclasses = true;
  bool descriptions = true;  // takes most of the time of a key
};

// A text for each place of the dungeon, as the command ; shows it.
inline constexpr size_t kDescriptionBytes = size_t{kRows} * kColumns * kLineBytes;

// How a game begins.
struct Start {
  uint64_t core = 0, disp = 0;  // the seeds of the game, and of what it shows by chance
  bool has_lgen = false;
  uint64_t lgen = 0;           // with has_lgen: the seed of the levels alone
  std::string options;         // NetHack's, joined by ','
  std::string wizkit;          // with playmode:debug: things to begin with, one in each line
  bool spawn_monsters = true;  // monsters come to be while the game runs
};

class Game {
 public:
  // `nhdat` is the file of that name: NetHack's levels and texts. `clock` is the present for the
  // game, in seconds since 1970.
  Game(std::shared_ptr<const Library> library, std::shared_ptr<const std::vector<uint8_t>> nhdat,
       const Asked& asked, int64_t clock);
  ~Game();
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  // Begins a new game. Throws std::runtime_error if NetHack gives up.
  void Begin(const Start& start);
  // Gives NetHack a key. Nothing happens if the game is over. Throws std::runtime_error if NetHack
  // ends in another way than a game does, such as by abort(); Begin must follow.
  void Press(int key);

  const Arrays& arrays() const { return arrays_; }
  // Valid until the next key.
  std::span<const uint8_t> descriptions() const { return descriptions_; }
  bool is_over() const { return outputs_.is_over != 0; }
  bool is_normal() const { return outputs_.is_normal != 0; }  // begun, and not over
  int how_it_ended() const { return outputs_.how_it_ended; }  // NetHack's number, 15: ascended

  // For the functions of libc.cc. The game whose code runs on this thread.
  static Game& Current();
  Arena& arena() { return arena_; }
  Files& files() { return files_; }
  std::time_t clock() const { return clock_; }
  std::tm& broken_down_time() { return broken_down_time_; }
  std::vector<regex_t*>& expressions() { return expressions_; }
  uint8_t* stack_end() const { return arena_memory_; }
  // Takes the place of a copy of the descriptions to the outputs, which is 130 KB for each key:
  // they stay where NetHack has them. `from` is nullptr for zeros. False if the copy is another
  // one.
  bool TakeDescriptions(const void* to, const void* from);
  // Ends the game instead of the process. `call` says by which function.
  [[noreturn]] void Exit(const char* call);

 private:
  // The struct that NetHack writes its outputs through.
  struct Outputs {
    int32_t key = 0, is_over = 0;
    char is_normal = 0;
    int32_t how_it_ended = 0;
    int16_t* glyphs;
    uint8_t *chars, *colors, *specials;
    int64_t* blstats;
    uint8_t* message;
    int32_t *program_state, *internal;
    int16_t* inv_glyphs;
    uint8_t *inv_strs, *inv_letters, *inv_oclasses, *descriptions, *tty_chars;
    int8_t* tty_colors;
    uint8_t* tty_cursor;
    int32_t* misc;
  };
  struct Settings;
  struct Memory;  // the reserved addresses of a game

  void CheckEnd();

  const std::shared_ptr<const Library> library_;
  const std::shared_ptr<const std::vector<uint8_t>> nhdat_;
  const Asked asked_;
  const std::time_t clock_;
  const size_t start_, step_, exit_;  // places of functions of the library
  const std::unique_ptr<Memory> memory_;
  uint8_t* const arena_memory_;
  Arena arena_;
  Files files_;
  std::tm broken_down_time_ = {};
  std::vector<regex_t*> expressions_;  // compiled by the C library
  const char* exit_call_ = nullptr;    // the function by which NetHack wanted to end the process
  void* context_ = nullptr;            // nle's handle of the game
  Arrays arrays_ = {};
  std::span<const uint8_t> descriptions_;
  uint8_t descriptions_place_ = 0;  // the place that NetHack is told to copy them to
  Outputs outputs_ = {};
};

}  // namespace parallel_pool::nethack
