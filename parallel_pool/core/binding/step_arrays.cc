#include "parallel_pool/core/binding/step_arrays.h"

#include <algorithm>
#include <stdexcept>

namespace parallel_pool {

namespace py = pybind11;

StepArrays::StepArrays(const std::vector<Column>& columns, int num_envs, const py::dict& arrays) {
  for (const auto& [key, value] : arrays) {
    const auto name = py::cast<std::string>(key);
    const auto column = std::ranges::find(columns, name, &Column::name);
    if (column == columns.end()) throw std::invalid_argument("there is no column " + name);
    const auto array = py::cast<py::array>(value);
    const bool fits = array.ndim() >= 2 && array.shape(1) == num_envs && array.writeable() &&
                      column->players == 0 && array.itemsize() == ItemBytes(column->dtype) &&
                      array.nbytes() == array.shape(0) * num_envs * column->row_bytes() &&
                      (array.flags() & py::array::c_style) != 0;
    if (!fits) throw std::invalid_argument("the array " + name + " does not fit its column");
    steps_ = std::min<int64_t>(steps_, array.shape(0));
    places_.push_back({.column = static_cast<size_t>(column - columns.begin()), .data = nullptr});
    arrays_.push_back(array);
  }
}

std::span<const ColumnPlace> StepArrays::At(int64_t step) {
  if (step < 0 || step >= steps_) throw std::out_of_range("there is no such step");
  for (size_t k = 0; k < arrays_.size(); ++k) {
    auto* const first = static_cast<std::byte*>(arrays_[k].mutable_data());
    places_[k].data = first + step * arrays_[k].strides(0);
  }
  return places_;
}

}  // namespace parallel_pool
