#include "parallel_pool/core/binding/returns.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>

#include "parallel_pool/core/learner/returns.h"

namespace parallel_pool {
namespace {

namespace py = pybind11;

template <class T>
using Numbers = py::array_t<T, py::array::c_style>;
using Flags = Numbers<bool>;

// The arrays of a rollout, shape (steps, width).
template <class T>
struct Rollout {
  Transitions<T> transitions;

  Rollout(const Numbers<T>& reward, const Numbers<T>& value, const Numbers<T>& last_value,
          const std::optional<Numbers<T>>& final_value, const Flags& terminated,
          const Flags& truncated, const std::optional<Flags>& is_transition)
      : transitions{.steps = reward.shape(0),
                    .width = reward.shape(1),
                    .reward = reward.data(),
                    .value = value.data(),
                    .last_value = last_value.data(),
                    .final_value = final_value ? final_value->data() : nullptr,
                    .terminated = terminated.data(),
                    .truncated = truncated.data(),
                    .is_transition = is_transition ? is_transition->data() : nullptr} {}
};

template <class T>
void AddReturnsOf(py::module_& m) {
  py::class_<Rollout<T>>(m, sizeof(T) == 4 ? "Rollout32" : "Rollout64")
      .def(py::init<const Numbers<T>&, const Numbers<T>&, const Numbers<T>&,
                    const std::optional<Numbers<T>>&, const Flags&, const Flags&,
                    const std::optional<Flags>&>(),
           py::keep_alive<1, 2>(), py::keep_alive<1, 3>(), py::keep_alive<1, 4>(),
           py::keep_alive<1, 5>(), py::keep_alive<1, 6>(), py::keep_alive<1, 7>(),
           py::keep_alive<1, 8>(), py::arg("reward"), py::arg("value"), py::arg("last_value"),
           py::arg("final_value"), py::arg("terminated"), py::arg("truncated"),
           py::arg("is_transition"))
      .def(
          "gae",
          [](const Rollout<T>& r, double gamma, double lambda, Numbers<T>& advantage,
             Numbers<T>& target) {
            T *const a = advantage.mutable_data(), *const b = target.mutable_data();
            const py::gil_scoped_release unlocked;
            FindGae(r.transitions, gamma, lambda, a, b);
          },
          py::arg("gamma"), py::arg("gae_lambda"), py::arg("advantage"), py::arg("target"))
      .def(
          "lambda_returns",
          [](const Rollout<T>& r, double gamma, double lambda, Numbers<T>& target) {
            T* const to = target.mutable_data();
            const py::gil_scoped_release unlocked;
            FindLambdaReturns(r.transitions, gamma, lambda, to);
          },
          py::arg("gamma"), py::arg("lambda_"), py::arg("target"))
      .def(
          "n_step",
          [](const Rollout<T>& r, int64_t n, double gamma, Numbers<T>& target) {
            T* const to = target.mutable_data();
            const py::gil_scoped_release unlocked;
            FindNStepReturns(r.transitions, n, gamma, to);
          },
          py::arg("n"), py::arg("gamma"), py::arg("target"))
      .def(
          "vtrace",
          [](const Rollout<T>& r, const Numbers<T>& ratio, double gamma, double lambda,
             double clip_rho, double clip_c, Numbers<T>& target, Numbers<T>& advantage) {
            T *const a = target.mutable_data(), *const b = advantage.mutable_data();
            const py::gil_scoped_release unlocked;
            FindVtrace(r.transitions, ratio.data(), gamma, lambda, clip_rho, clip_c, a, b);
          },
          py::arg("ratio"), py::arg("gamma"), py::arg("lambda_"), py::arg("clip_rho"),
          py::arg("clip_c"), py::arg("target"), py::arg("advantage"));
}

}  // namespace

void AddReturns(py::module_& m) {
  AddReturnsOf<float>(m);
  AddReturnsOf<double>(m);
}

}  // namespace parallel_pool
