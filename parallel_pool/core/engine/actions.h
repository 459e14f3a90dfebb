// The actions of a pool: one row for each env and array, filled from what the user sends after
// every value has been checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/engine/column.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// One array as the user sent it: C-contiguous, one row for each env id; of an array that is per
// player one for each player, all of env_id[0], then of env_id[1], ...
struct ActionInput {
  const void* data;
  DType dtype;
};

class ActionStore {
 public:
  // `task` is named in errors.
  ActionStore(std::string task, Span<ArraySpec> arrays, int num_envs);

  const std::vector<Column>& arrays() const { return arrays_; }
  std::byte* const* rows() const { return rows_.data(); }

  // Copies row i of `input` to the row of env envs[i], or if array `k` is per player the rows of
  // players[i] players; those of the others become zero. std::invalid_argument names the first
  // value that array `k` does not take: a fraction or a number out of range where integers are
  // asked for, NaN or infinity anywhere. Rows of idle envs are nobody's, so a failed call does no
  // harm.
  void Store(size_t k, const ActionInput& input, std::span<const int32_t> envs,
             std::span<const int32_t> players = {});

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };

  const std::string task_;
  std::vector<Column> arrays_;
  std::vector<std::unique_ptr<std::byte[], Free>> blocks_;
  std::vector<std::byte*> rows_;
};

}  // namespace parallel_pool
