#include "parallel_pool/core/binding/sampler.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "parallel_pool/core/binding/numpy_api.h"
#include "parallel_pool/core/engine/action_sampler.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

using Ids = py::array_t<int32_t, py::array::c_style | py::array::forcecast>;
using Mask = py::array_t<int8_t, py::array::c_style | py::array::forcecast>;

// The actions of `envs`: an array, or a dict of arrays if there are several. `players`: those of
// each env, or None.
py::object Sample(ActionSampler& sampler, const Ids& envs, const std::optional<Ids>& players,
                  const std::optional<Mask>& mask) {
  const std::span<const int32_t> ids(envs.data(), static_cast<size_t>(envs.size()));
  std::vector<int32_t> counts(ids.size(), 1);
  if (players) counts.assign(players->data(), players->data() + players->size());
  py::dict all;
  py::object array;
  for (size_t k = 0; k < sampler.arrays().size(); ++k) {
    const Column& column = sampler.arrays()[k];
    const bool per_player = column.players > 0;
    std::vector<npy_intp> sizes{per_player ? std::reduce(counts.begin(), counts.end(), npy_intp{0})
                                           : static_cast<npy_intp>(ids.size())};
    sizes.insert(sizes.end(), column.shape.begin(), column.shape.end());
    array = Own(
        PyArray_SimpleNew(static_cast<int>(sizes.size()), sizes.data(), NumpyType(column.dtype)));
    sampler.Draw(k, ids, counts, mask ? mask->data() : nullptr,
                 static_cast<std::byte*>(PyArray_DATA(Array(array))));
    all[column.name.c_str()] = array;
  }
  return all.size() == 1 ? array : all;
}

}  // namespace

void AddSampler(py::module_& m) {
  py::class_<ActionSampler>(m, "ActionSampler")
      .def(py::init([](const std::shared_ptr<Setup>& setup, int num_envs, uint64_t seed) {
             return std::make_unique<ActionSampler>(*setup, num_envs, seed);
           }),
           py::arg("setup"), py::arg("num_envs"), py::arg("seed"))
      .def("save", [](ActionSampler& sampler) { return py::bytes(sampler.Save()); })
      .def(
          "load",
          [](ActionSampler& sampler, const std::string& saved) { return sampler.Load(saved); },
          py::arg("saved"))
      .def("sample", &Sample, py::arg("envs"), py::arg("players"), py::arg("mask"));
}

}  // namespace parallel_pool
