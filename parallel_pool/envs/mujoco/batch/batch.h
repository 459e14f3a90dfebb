// Many simulations of one model: MuJoCo's own batch (mjbatch.h), whose steps are made in lanes
// where they can be. It holds the states, outputs and fields of the simulations, and makes all
// else.
#pragma once

#include <mujoco/mjbatch.h>
#include <mujoco/mujoco.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "parallel_pool/envs/mujoco/batch/fields.h"
#include "parallel_pool/envs/mujoco/batch/threads.h"
#include "parallel_pool/envs/mujoco/engine/simulation.h"

namespace parallel_pool::mujoco {

// Calls of one batch may come from several threads: they wait for each other. Simulations that fail
// keep the state that they had; error() says why. Each call returns how many have failed.
class Batch {
 public:
  // The simulations of a call: sorted, each once.
  struct Ids {
    const int* list;  // nullptr: all
    int size;
  };

  // Throws std::invalid_argument.
  Batch(Model model, int num_envs, int num_threads);
  ~Batch();

  mjBatch* own() { return own_; }
  // The model of a simulation, without the fields that Expand has given it.
  const mjModel* own_model(int id) const {
    return own_models_.empty() ? model_.get() : own_models_[id].get();
  }
  // Whether steps are made in lanes, and how they are made, for people.
  bool steps_in_lanes() const { return in_lanes_ && own_models_.empty(); }
  std::string Remark() const;

  // As mjb_output and mjb_expand: the storage of a field for all simulations. Throw
  // std::invalid_argument if there is none.
  void* Bind(const char* name);
  void* Expand(const char* name);
  // As the functions of mjbatch.h.
  int Step(Ids ids, int steps, int stage);
  int Forward(Ids ids, int stage);
  int Reset(Ids ids, const int* keyframes, int stage);
  int SetConst(Ids ids);
  int Rollout(Ids ids, int steps, const mjtNum* control, int control_spec,
              const mjBatchRecord* records, int num_records);
  // models: one for each simulation; empty: the batch's.
  void SetModels(std::vector<Model> models);

  // Whether the last call of each simulation failed, and why.
  const std::vector<int>& status() const { return status_; }
  std::string error(int id) const { return status_[id] != 0 ? mjb_error(own_, id) : ""; }
  // Whether a counter of warnings has risen since the last call of this function.
  bool TakeWarnings();

 private:
  struct Output {
    const FieldOf<mjData>* field;
    char* storage;
    int64_t bytes;  // of one simulation
  };
  struct Roll;

  int64_t BytesOf(const FieldOf<mjData>& field) const;
  mjtNum* StateOf(int id) const { return state_ + int64_t{num_state_} * id; }
  bool AddReads(unsigned reads);
  void LeaveLanes(const std::string& why);
  Simulation& WorldOf(int id);
  bool IsPushed(int id) const;
  void Load(int id);
  void Store(int id);
  void FindIds(Ids ids, std::vector<int>& list) const;
  int CallLibrary(Ids ids, const std::function<int()>& call);
  void AdvanceOrFail(const std::vector<Simulation*>& worlds, const int* ids, int n);
  void Fail(int id);
  void StepPart(const int* ids, int n, int steps);
  void RollPart(const Roll& roll, int first, int n);

  const Model model_;
  std::vector<Model> own_models_;
  const int num_envs_;
  mjBatch* const own_;
  const int num_state_;
  mjtNum* const state_;
  std::vector<Output> outputs_;
  std::vector<int> status_;
  std::vector<char> fails_;  // the simulations whose steps in lanes have failed in this call
  std::vector<std::unique_ptr<Simulation>> worlds_;
  unsigned reads_ = 0;
  int64_t warnings_ = 0;  // of all simulations
  bool in_lanes_;         // the batch's model
  std::string why_not_;
  int pushes_begin_, pushes_end_;  // of forces that a program applies, in a state
  Threads threads_;
  std::mutex mutex_;
};

}  // namespace parallel_pool::mujoco
