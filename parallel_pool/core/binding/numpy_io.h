// Between Python objects and the engine's plain memory: env ids and actions in, batches out.
// Every function holds the GIL and throws pybind11 exceptions that name what was wrong.
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

// Once, before anything else here.
void ImportNumpy();

// The env ids of a call: integers in one dimension, or None for all envs.
class EnvIds {
 public:
  EnvIds(std::string task, int num_envs);
  // Valid until the next call.
  std::span<const int32_t> Read(pybind11::handle env_id);

 private:
  const std::string task_;
  std::vector<int32_t> all_, some_;
};

// One array of an action as the engine can read it; keeps the Python array alive.
struct HeldArray {
  pybind11::object array;
  ActionInput input;
};

// The rows that an action must have.
struct ActionRows {
  std::span<const int32_t> envs;
  std::span<const int32_t> players;  // of each env; empty if the task's envs have one each
  size_t num_players() const;
};

// The array of `action` for each array of the store: `action` itself if there is only one, else
// (or if it is a dict) those that it holds under the arrays' names. Each has a row for each env, or
// for each player if the store's is per player. "players.env_id", which a dict may hold as well,
// must say what the engine knows: whose each player is.
void ReadActions(const std::string& task, pybind11::handle action, NamedArrays* named,
                 const std::vector<Column>& arrays, const ActionRows& rows,
                 std::vector<HeldArray>* out);

// Turns batches into tuples of nested dicts of NumPy arrays over their memory. Nothing is copied,
// except that arrays that are per player lose the rows of players who are not there. The batch is
// released when the last array is gone.
class BatchReader {
 public:
  // `parts`: what the tuple holds. The column "reward" is the part of that name, "info:lives" is
  // the item "lives" of the dict "info"; columns of no part are not shown. If any column is per
  // player, the last one has the number of players of each row.
  BatchReader(const std::vector<Column>& columns, const std::vector<std::string>& parts);

  // At most once for each batch.
  pybind11::tuple Read(Batch* batch) const;

 private:
  struct Leaf {
    size_t column;
    size_t part;
    std::vector<pybind11::str> path;  // keys below the part; empty: the part itself
    int type;                         // NumPy's type number
    std::vector<int64_t> shape;       // with room for the batch axis in front
    int64_t player_bytes;             // of one player; 0: not per player
  };

  const size_t num_parts_;
  std::vector<Leaf> leaves_;     // one for each column that is shown
  const size_t players_column_;  // the last
  int64_t most_players_ = 0;     // of a row; 0: no column is per player
};

}  // namespace parallel_pool
