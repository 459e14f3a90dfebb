// EnvCalls as functions of Python.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

#include "parallel_pool/core/workers/processes.h"

namespace parallel_pool {

// Calls the functions of a Python object (python_envs/calls.py), which may be a weak reference.
// A ValueError becomes std::invalid_argument, other exceptions std::runtime_error, with their text.
class PythonCalls final : public EnvCalls {
 public:
  explicit PythonCalls(pybind11::object calls) : calls_(std::move(calls)) {}
  ~PythonCalls() override;

  void SetResetOptions(int32_t env, const std::string& options) override;
  std::string Save(int32_t env) override;
  void Load(int32_t env, const std::string& state) override;
  void Render(int32_t env, uint8_t* rgb) override;
  std::string RenderText(int32_t env) override;
  std::string ExitReason(int k) override;

 private:
  pybind11::object calls_;
};

}  // namespace parallel_pool
