// Arrays for the rows of many steps, into which a pool writes each step in place.
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/engine/batch.h"

namespace parallel_pool {

class StepArrays {
 public:
  // `arrays` are by the names of columns, such as "obs:left.camera" or "reward". Each has the shape
  // (steps, num_envs, ...) and rows without gaps. Throws std::invalid_argument if one does not fit.
  StepArrays(const std::vector<Column>& columns, int num_envs, const pybind11::dict& arrays);

  // The places of a step's rows, valid until the next call.
  std::span<const ColumnPlace> At(int64_t step);

 private:
  std::vector<pybind11::array> arrays_;
  std::vector<ColumnPlace> places_;
  int64_t steps_ = INT64_MAX;
};

}  // namespace parallel_pool
