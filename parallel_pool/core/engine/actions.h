// The actions of a pool: one row for each env and array. Store checks every value that the user
// sends, then copies it.
//
// Actions are not checked against the bounds of a Box, unless the option check_actions says so:
// published agents send values outside of them and rely on the env's own clipping. NaN and infinity
// are refused, and so is every integer out of range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/engine/column.h"
#include "parallel_pool/core/engine/pool_memory.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// One array as the user sent it, C-contiguous. It has one row for each env id, or if the array is
// per player, one row for each player: those of env_id[0], then those of env_id[1], ...
struct ActionInput {
  const void* data;
  DType dtype;
};

class ActionStore {
 public:
  // Errors begin with `task`. If there are `players`, row k of each env is player k's, whose own
  // space says which numbers are allowed. If there are `parts`, the env's task says it. The rows
  // are in `memory`, or without one on the heap. `checks_bounds`: floats must be within the bounds.
  ActionStore(std::string task, Span<ArraySpec> arrays, int num_envs, Span<PlayerSpec> players = {},
              Span<TaskPart> parts = {}, bool checks_bounds = false, PoolMemory* memory = nullptr);

  const std::vector<Column>& arrays() const { return arrays_; }
  std::byte* const* rows() const { return rows_.data(); }

  // Copies row i of `input` to the row of env envs[i]. If array `k` is per player, it copies the
  // rows of players[i] players and zeroes those of the others. Throws std::invalid_argument with
  // the first value that array `k` does not allow: a fraction or a number out of range where it
  // has integers, NaN or infinity anywhere, and with `checks_bounds` a float out of range. A row
  // that takes doubles becomes one of them unless `input` is of float32. No thread reads the rows
  // of idle envs, so a failed call does no harm.
  void Store(size_t k, const ActionInput& input, std::span<const int32_t> envs,
             std::span<const int32_t> players = {});

  // The type of the rows that array `k` gets from an input of type `dtype`.
  DType StoredType(size_t k, DType dtype) const {
    const Column& array = arrays_[k];
    return array.takes_doubles && dtype != DType::kFloat32 ? DType::kFloat64 : array.dtype;
  }

  // The numbers that player `player` of `env` may send in array `k`, as the bounds of a column.
  const Column& allowed(size_t k, size_t player, int32_t env) const {
    return own_[k].empty() ? arrays_[k] : own_[k][part_of_.empty() ? player : part_of_[env]];
  }

 private:
  void AddPlayers(Span<ArraySpec> arrays, Span<PlayerSpec> players);
  void AddParts(Span<ArraySpec> arrays, Span<TaskPart> parts, int num_envs);
  template <class To, class From>
  int64_t CopyRows(size_t k, const From* from, std::span<const int32_t> envs,
                   std::span<const int32_t> players) const;
  template <class To, class From>
  [[noreturn]] void Refuse(size_t k, From value, int64_t bad, std::span<const int32_t> envs) const;

  const std::string task_;
  const bool checks_bounds_;
  std::vector<Column> arrays_;
  // The columns of each array with the bounds of each player, or of each task; empty if they do
  // not differ.
  std::vector<std::vector<Column>> own_;
  std::vector<std::string> player_names_, part_names_;
  std::vector<int32_t> part_of_;  // of each env; empty if there is one task
  std::vector<Block> blocks_;
  std::vector<std::byte*> rows_;
};

}  // namespace parallel_pool
