// Random actions of all kinds: legal ones where a mask says which are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "parallel_pool/core/engine/actions.h"
#include "parallel_pool/core/plugin.h"
#include "parallel_pool/core/random.h"

namespace parallel_pool {

// One thread at a time.
class ActionSampler {
 public:
  ActionSampler(const Setup& setup, int num_envs, uint64_t seed);

  const std::vector<Column>& arrays() const { return store_.arrays(); }

  // Draws rows of array `k`: one for each of `envs`, or if the array is per player, players[i] for
  // envs[i]. As in Gymnasium, numbers are uniform between their bounds, normal without bounds, and
  // exponential beyond a single one. `mask` is of an array of one integer, and has a row for each
  // row: 0 for each value that is not drawn, unless all are 0; nullptr: there is none.
  void Draw(size_t k, std::span<const int32_t> envs, std::span<const int32_t> players,
            const int8_t* mask, std::byte* rows);

  // The random numbers, as bytes for Load, which returns false if they are damaged.
  std::string Save();
  bool Load(const std::string& bytes);

 private:
  double DrawFloat(double low, double high);
  uint64_t UpTo(uint64_t last);
  int64_t DrawInteger(int64_t low, int64_t high, const int8_t* mask);

  const ActionStore store_;
  Rng rng_;
};

}  // namespace parallel_pool
