// Between Python objects and the engine's plain memory: env ids and actions in, batches out.
// Every function holds the GIL and throws pybind11 exceptions that name what was wrong.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/actions.h"
#include "parallel_pool/core/batch.h"

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

// The array of `action` for each array of the store: `action` itself if there is only one, else
// (or if it is a dict) the values of a dict under the arrays' names. Each has `rows` rows.
void ReadActions(const std::string& task, pybind11::handle action,
                 const std::vector<Column>& arrays, size_t rows, std::vector<HeldArray>* out);

// Turns batches into nested dicts of NumPy arrays over their memory; nothing is copied. The batch
// is released when the last array is gone.
class BatchReader {
 public:
  explicit BatchReader(const std::vector<Column>& columns);

  struct Parts {
    pybind11::object obs, info;
    std::vector<pybind11::object> others;  // what is neither, in the order of the columns
  };
  Parts Read(Batch* batch) const;

 private:
  struct Leaf {
    enum { kObs, kInfo, kOther } part;
    std::vector<pybind11::str> path;  // keys below the part; empty: the part itself
    int type;                         // NumPy's type number
    std::vector<int64_t> shape;       // with room for the batch axis in front
  };

  std::vector<Leaf> leaves_;  // one for each column
};

}  // namespace parallel_pool
