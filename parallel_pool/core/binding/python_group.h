// The envs of one process: Python objects with the functions of gymnasium.Env.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/engine/column.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// The state's array with the infos of a row: their length (uint32), then that many bytes.
using InfoLength = uint32_t;

// Calls are made with the GIL held, by one thread.
class PythonGroup final : public EnvGroup {
 public:
  // The functions of Python that the group calls (python_envs/objects.py).
  struct Helpers {
    pybind11::object action_of;    // list of arrays -> action; None: the action is the only array
    pybind11::object arrays_of;    // observation -> list of arrays; None: it is the only array
    pybind11::object encode_info;  // info -> bytes
    pybind11::object describe;     // exception -> str, with where it was raised
  };

  // With `keeps_exceptions`, Raised() returns the exceptions of envs.
  PythonGroup(const Setup& setup, int32_t num_envs, Helpers helpers, bool keeps_exceptions = false);

  // `object` is env `env` from now on.
  void SetEnv(int32_t env, const pybind11::object& object);
  void SetOptions(int32_t env, pybind11::object options) {
    envs_[env].options = std::move(options);
  }
  // The last observation and the last info's bytes, for a saved state.
  pybind11::tuple Last(int32_t env) const;
  void SetLast(int32_t env, pybind11::object obs, pybind11::object info);
  // The exception that the env has raised last, once; or None.
  pybind11::object Raised(int32_t env);
  // Whether Ctrl-C has ended a step since the last call.
  bool TakeInterrupted() { return std::exchange(interrupted_, false); }
  // Drops the Python objects of all envs.
  void Forget();

  bool Create(int32_t, uint64_t, const Setup*, Error*) noexcept override { return true; }
  bool Rebuild(int32_t, const Setup*, Error*) noexcept override { return false; }
  // Takes only the seed: SetOptions sets the options.
  bool Prepare(int32_t env, const NextReset& next, Error*) noexcept override {
    envs_[env].has_seed = next.seed != nullptr;
    if (next.seed != nullptr) envs_[env].seed = *next.seed;
    return true;
  }
  void Step(const int32_t* envs, const Turn* turns, int32_t count, std::byte* const* actions,
            Result* results) noexcept override;
  void Observe(const int32_t* envs, int32_t count, std::byte* const* columns, int64_t first_row,
               Result* results) noexcept override;
  const char* Failure(int32_t env) const override { return envs_[env].failure.c_str(); }

  // The pool's process asks for these by messages (workers.h).
  bool Save(int32_t, Writer&, Error*) noexcept override { return true; }
  bool Load(int32_t, Reader&, Error*) noexcept override { return true; }
  bool Render(int32_t, uint8_t*, Error*) noexcept override { return false; }
  bool RenderText(int32_t, Writer&, Error*) noexcept override { return false; }

 private:
  struct Env {
    pybind11::object step, reset;  // bound methods
    pybind11::object obs, info;    // the last observation; bytes of the info, or none
    pybind11::object options;      // of the next reset, or none
    pybind11::object raised;       // an exception, or none
    uint64_t seed = 0;
    bool has_seed = false;
    std::string failure;
  };

  pybind11::object ActionOf(int32_t env, std::byte* const* actions) const;
  Result StepEnv(Env& env, pybind11::object action);
  Result ResetEnv(Env& env);
  void SetInfo(Env& env, pybind11::handle info) const;
  int32_t WriteRow(const Env& env, std::byte* const* columns, int64_t row) const;
  template <class Body>
  void Guarded(Env& env, Result* result, const Body& body);
  void ExitIfForked() const;

  const std::vector<Column> action_, state_;  // without the infos
  const int64_t info_bytes_;
  const Helpers helpers_;
  const pybind11::str seed_name_{"seed"}, options_name_{"options"};
  const bool keeps_exceptions_;
  const int generation_;  // ForkGeneration() of the process
  bool interrupted_ = false;
  std::vector<Env> envs_;
};

}  // namespace parallel_pool
