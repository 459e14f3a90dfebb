// Events that MiniHack's tasks reward: what its class RewardManager has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parallel_pool/core/options.h"
#include "parallel_pool/envs/nethack/engine/game.h"

namespace parallel_pool::nethack {

struct Event {
  enum class Kind {
    kMessage,  // NetHack shows one of `words`
    kPlace,    // the agent stands on what `words` names, so that it does not show
    kKey,      // the agent gives `key` at such a place, and then the key y
    kPoint,    // the agent is at x, y
    kStairs,   // the agent is on stairs down
  };

  Kind kind;
  double reward;
  bool is_repeatable = false, is_required = false, is_sufficient = false;
  std::vector<std::string> words = {};
  int key = 0;
  int64_t x = 0, y = 0;

  bool has_happened = false;  // in this episode; never if it is repeatable
  bool key_was_given = false;
};

// The events of the option `events`. A line is words between tabs: the kind, the reward, the flags
// (r repeatable, n needed, s sufficient), and what the kind needs:
//
//   message <TAB> 1 <TAB> n <TAB> text <TAB> ...      place <TAB> 1 <TAB> n <TAB> altar
//   key <TAB> 1 <TAB> n <TAB> altar <TAB> M-p         point <TAB> 1 <TAB> n <TAB> x <TAB> y
//   stairs <TAB> 1 <TAB> r
//
// Throws std::invalid_argument for another line.
std::vector<Event> ReadEvents(const Lines& lines);

// Whether the screen shows a thing with this word in its description.
bool IsShown(const Game& game, const std::string& word);

class EventCounter {
 public:
  explicit EventCounter(std::vector<Event> events) : events_(std::move(events)) {}

  bool empty() const { return events_.empty(); }
  void Begin();
  // Adds the rewards of the events that happen now, after the agent has given `key` (-1: none).
  // Returns whether the task is done.
  bool Look(const Game& game, int key);
  // The rewards since the last call.
  double Take();

 private:
  bool Happens(Event& event, const Game& game, int key) const;
  bool IsDone() const;

  std::vector<Event> events_;
  double reward_ = 0.0;
};

}  // namespace parallel_pool::nethack
