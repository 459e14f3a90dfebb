// The keys that nle has as actions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parallel_pool/core/options.h"

namespace parallel_pool::nethack {

// A list of keys, as the codes that NetHack reads.
using Keys = std::vector<uint8_t>;

// nle's lists, in its order.
enum class KeySet {
  kDirections,  // 8: nle.nethack.CompassDirection
  kTask,        // 23: nle.env.tasks.TASK_ACTIONS
  kUseful,      // 86: nle.nethack.USEFUL_ACTIONS
  kMinihack,    // 85: the same without '<'
  kAll,         // 121: nle.nethack.ACTIONS
};
Keys KeysOf(KeySet set);

// The keys of the option `actions`: in each line a name such as "KICK", or any key in NetHack's
// notation, such as "k", "^D" or "M-p". Throws std::invalid_argument for another word.
Keys ReadKeys(const Lines& actions);

// A name for each key, with the key in parentheses: "KICK (^D)". `play` finds the keys by them.
std::vector<std::string> NamesOf(const Keys& keys);

}  // namespace parallel_pool::nethack
