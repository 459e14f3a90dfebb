// The sets of buttons that EnvPool's combined actions press.
#pragma once

#include <map>
#include <vector>

namespace parallel_pool::vizdoom {

// The numbers that actions give a delta button: `count` of them, evenly from `first` to `last`.
// With a count of less than 2, actions leave the button alone.
struct DeltaNumbers {
  int count;
  double first, last;
};

// A number for each of some buttons, in their order.
using ButtonSet = std::vector<double>;

// All sets of `buttons` (places in ButtonNames()), each button once, except that at most one button
// of a pair such as left and right is pressed, and at most one that selects a weapon. They are
// sorted as numbers whose first digit is the first button in the order of ButtonNames(): it changes
// last. With `force_speed`, SPEED is pressed in all of them. Throws std::invalid_argument if there
// are more than a million.
std::vector<ButtonSet> MakeButtonSets(const std::vector<int>& buttons, bool force_speed,
                                      const std::map<int, DeltaNumbers>& deltas);

}  // namespace parallel_pool::vizdoom
