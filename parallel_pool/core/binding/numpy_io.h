// Converts Python objects to the engine's plain memory and back: env ids and actions in, batches
// out. The caller of every function holds the GIL; errors are pybind11 exceptions.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/binding/named_arrays.h"
#include "parallel_pool/core/engine/actions.h"
#include "parallel_pool/core/engine/batch.h"

namespace parallel_pool {

// Call it once, before any other function of this file.
void ImportNumpy();

// The env ids of a call: integers in one dimension, an integer for one env, or None for all envs.
class EnvIds {
 public:
  EnvIds(std::string task, int num_envs);
  // The result is valid until the next call. An empty env_id raises: a batch without rows has no
  // meaning in an async pool, and in a sync pool it is nearly always a mistake.
  std::span<const int32_t> Read(pybind11::handle env_id);
  // Whether the last call of Read got an integer, so that an action may have no axis for its row.
  bool is_one() const { return is_one_; }

 private:
  const std::string task_;
  std::vector<int32_t> all_, some_;
  bool is_one_ = false;
};

// One array of an action in a form that the engine reads; keeps the Python array alive.
struct HeldArray {
  pybind11::object array;
  ActionInput input;
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

// Makes tuples of nested dicts of NumPy arrays over the memory of batches. Nothing is copied, but
// arrays that are per player lose the rows of players that are not in their envs. The batch is
// released when the last array is gone. Array objects are new for each result, not cached: a user
// may set obs.shape, and may keep a view of an array. Seven array headers cost half a microsecond.
class BatchReader {
 public:
  // `parts` are the names of the tuple's elements. The column "reward" is the part of that name,
  // "info:lives" is the item "lives" of the dict "info"; columns of no part are not shown. If any
  // column is per player, the last one has the number of players of each row.
  BatchReader(const std::vector<Column>& columns, const std::vector<std::string>& parts);

  // Call it at most once for each batch.
  pybind11::tuple Read(Batch* batch) const;

 private:
  struct Leaf {
    size_t column;
    size_t part;
    std::vector<pybind11::str> path;  // keys below the part; empty: the part itself
    int type;                         // NumPy's type number
    std::vector<int64_t> shape;       // with a first element for the batch axis
    int64_t player_bytes;             // bytes of one player; 0: not per player
  };

  const size_t num_parts_;
  std::vector<Leaf> leaves_;     // one for each column that is shown
  const size_t players_column_;  // the last column
  int64_t most_players_ = 0;     // the most players of a row; 0: no column is per player
};

}  // namespace parallel_pool
