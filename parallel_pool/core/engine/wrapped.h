// Envs in wrappers: their observations and actions in another form. Python decides which arrays
// users receive and send (python/specs/wrappers.py). The group here writes and reads their rows, in
// the threads that run the envs.
//
//   action of the user -> clipped -> scaled -> Step
//   Observe -> other axes or one-hot, other dtype -> the last frames -> row of the user
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "parallel_pool/core/engine/column.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// An array of the env in an array of the user.
struct WrappedPart {
  int32_t from, to;   // the array of the env, and that of the user
  int64_t first;      // its first element in a row of the user's array
  int32_t frames;     // observations of the episode, the oldest first; 1: only the present one
  bool channel_last;  // rows of (channels, height, width) become (height, width, channels)
  bool one_hot;       // an integer becomes a number for each of its values: 1 for its own, else 0
};

// An array of the action. A vector is empty or has a number for each element.
struct WrappedAction {
  Column column;                            // as users send it
  std::vector<double> low, high;            // it is clipped to these
  std::vector<double> gradient, intercept;  // then x becomes (x - intercept) / gradient

  bool is_changed() const { return !low.empty() || !gradient.empty(); }
};

// `setup` with other arrays: `actions` has all of them, and `parts` say of what those of `state`
// are made. Only arrays of floats may change in `actions`.
std::shared_ptr<Setup> Wrapped(std::shared_ptr<const Setup> setup,
                               std::vector<WrappedAction> actions, std::vector<Column> state,
                               std::vector<WrappedPart> parts);

// `group`, a group of the setup that `setup` wraps, as one of `setup`; `group` itself if `setup` is
// not wrapped. Throws std::bad_alloc.
std::unique_ptr<EnvGroup> WrappedGroupOf(const Setup& setup, std::unique_ptr<EnvGroup> group,
                                         int32_t num_envs);

}  // namespace parallel_pool
