// Converts Python objects to the engine's plain memory: env ids and actions. The caller of every
// function holds the GIL; errors are pybind11 exceptions.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/binding/named_arrays.h"
#include "parallel_pool/core/engine/actions.h"

namespace parallel_pool {

// The env ids of a call: integers in one dimension, an integer for one env, or None for all envs.
class EnvIds {
 public:
  // `unbatched`: None means one env, as an integer does.
  EnvIds(std::string task, int num_envs, bool unbatched);
  // The result is valid until the next call. An empty env_id raises: a batch without rows has no
  // meaning in an async pool, and in a sync pool it is nearly always a mistake.
  std::span<const int32_t> Read(pybind11::handle env_id);
  // Whether the last call of Read got an integer, so that an action may have no axis for its row.
  bool is_one() const { return is_one_; }

 private:
  const std::string task_;
  const bool unbatched_;
  std::vector<int32_t> all_, some_;
  bool is_one_ = false;
};

// One array of an action in a form that the engine reads; keeps the Python array alive.
struct HeldArray {
  pybind11::object array;  // none: the action is `number`
  ActionInput data;
  int64_t number = 0;

  // Valid as long as this object.
  ActionInput input() const { return array ? data : ActionInput{&number, DType::kInt64}; }
};

// The rows that an action must have.
struct ActionRows {
  std::span<const int32_t> envs;
  std::span<const int32_t> players;  // players of each env; empty if no array is per player
  bool is_one = false;               // one env, whose arrays may come without the axis of the rows
  size_t num_players() const;
};

// Reads the array of `action` for each array of the store: `action` itself if there is only one,
// else (or if it is a dict) the entries with the arrays' names. Each has a row for each env, or for
// each player if the store's is per player. A dict may also contain "players.env_id"; it must be
// the env of each player, as the engine has it.
void ReadActions(const std::string& task, pybind11::handle action, NamedArrays* named,
                 const std::vector<Column>& arrays, const ActionRows& rows,
                 std::vector<HeldArray>* out);

}  // namespace parallel_pool
