// Batches as tuples of NumPy arrays.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <vector>

#include "parallel_pool/core/engine/batch.h"

namespace parallel_pool {

// The form of a pool's results: a tuple (obs, reward, terminated, truncated, info).
struct BatchForm {
  // Two parts follow: discount, and step_type (int32: 0 first, 1 mid, 2 last). All infos are always
  // there; else those of ended episodes are there only if the batch has one.
  bool with_timing = false;
  // The batches of a pool of one env are shown without the axis of their only row. Arrays of one
  // number are Python numbers. But observations are NumPy scalars for dm_env, as dm_control has
  // them; for Gymnasium they are arrays without axes, unless they are discrete. Infos about the
  // rows are left out.
  bool unbatched = false;
  // A text is a str, or a tuple with one for each row; else its bytes in an array.
  bool texts_are_str = false;
};

// Makes tuples of nested dicts of NumPy arrays over the memory of batches. Nothing is copied, but
// arrays that are per player lose the rows of players that are not in their envs. The batch is
// released when the last array is gone. Array objects are new for each result, not cached: a user
// may set obs.shape, and may keep a view of an array. Seven array headers cost half a microsecond.
class BatchReader {
 public:
  // The column "reward" is the part of that name, "info:lives" is the item "lives" of the dict
  // "info"; columns of no part are not shown. If any column is per player, the last one has the
  // number of players of each row.
  BatchReader(const std::vector<Column>& columns, BatchForm form);

  // Call it at most once for each batch.
  pybind11::tuple Read(Batch* batch) const;

 private:
  struct Leaf {
    size_t column;
    size_t part;
    DType dtype;
    bool is_number = false;             // shown as a number
    bool is_numpy = false;              // that number is a NumPy scalar
    bool is_text = false;               // shown as a str, or a tuple of them
    bool is_row = false;                // shown without the batch axis
    bool is_of_ended = false;           // shown only if an episode has ended in the batch
    bool is_python = false;             // shown only if a row has infos of a Python env
    size_t mask = 0;                    // shown only where this column is true; 0: always
    std::vector<pybind11::str> path{};  // keys below the part; empty: the part itself
    std::vector<int64_t> shape{};       // unless is_row, with a first element for the batch axis
    int64_t player_bytes = 0;           // bytes of one player; 0: not per player
  };

  const std::vector<std::string> parts_;  // names
  std::vector<Leaf> leaves_;              // one for each column that is shown
  const size_t players_column_;           // the last column
  size_t ended_column_ = 0;               // "info:_episode", a mask; 0: there is none
  int64_t most_players_ = 0;              // the most players of a row; 0: no column is per player
};

}  // namespace parallel_pool
