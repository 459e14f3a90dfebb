#include "parallel_pool/core/binding/statistics.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

namespace parallel_pool {
namespace {

namespace py = pybind11;

template <class T>
py::array_t<T> ToArray(const std::vector<T>& numbers, const std::vector<int32_t>& shape) {
  py::array_t<T> array(std::vector<py::ssize_t>(shape.begin(), shape.end()));
  std::ranges::copy(numbers, array.mutable_data());
  return array;
}

template <class T>
void Copy(const py::handle& array, std::vector<T>& numbers) {
  const auto given = py::cast<py::array_t<T, py::array::c_style | py::array::forcecast>>(array);
  std::copy_n(given.data(), numbers.size(), numbers.begin());
}

}  // namespace

py::list ReadStatistics(Transforms& transforms, bool of_rewards) {
  py::list all;
  for (const Transforms::Observation& array : transforms.observations()) {
    std::visit(
        [&](const auto& moments) {
          all.append(py::make_tuple(array.name, ToArray(moments.mean, array.shape),
                                    ToArray(moments.var, array.shape), moments.count));
        },
        array.moments);
  }
  if (!of_rewards) return all;
  const ReturnMoments& returns = transforms.returns();
  all.append(py::make_tuple("reward", ToArray<double>({returns.mean}, {}),
                            ToArray<double>({returns.var}, {}), returns.count));
  return all;
}

void WriteStatistics(Transforms& transforms, const py::list& statistics) {
  for (const py::handle entry : statistics) {
    const auto fields = py::cast<py::tuple>(entry);
    const auto name = py::cast<std::string>(fields[0]);
    const auto count = py::cast<double>(fields[3]);
    if (name == "reward") {
      ReturnMoments& returns = transforms.returns();
      returns = {
          .mean = py::cast<double>(fields[1]), .var = py::cast<double>(fields[2]), .count = count};
      continue;
    }
    for (Transforms::Observation& array : transforms.observations()) {
      if (array.name != name) continue;
      std::visit(
          [&](auto& moments) {
            Copy(fields[1], moments.mean);
            Copy(fields[2], moments.var);
            moments.count = count;
          },
          array.moments);
    }
  }
}

}  // namespace parallel_pool
