// The batch for Python, which calls it by ctypes: parallel_pool/mujoco/library.py has the same
// table.
#pragma once

#include <mujoco/mjbatch.h>
#include <mujoco/mujoco.h>

#include <cstdint>

extern "C" {

struct ParallelPoolBatchField {
  const char* name;
  const char* rows_name;  // the member of mjModel that counts its rows; "": none
  int64_t rows, columns;  // rows: -1 if it is one number
  const void* address;    // in the model; nullptr for a field of mjData
  char type;              // as NumPy writes it
};

// Functions that can fail return nullptr, or a negative number; `failure` then says why.
struct ParallelPoolBatchApi {
  const char* (*failure)();

  // Models. `kind` is 'p' for a path, 'x' for XML, 'b' for the bytes of an MJB file.
  void* (*load_model)(char kind, const char* text, int64_t size);
  void (*free_model)(void* model);
  int64_t (*save_model)(void* model, void* bytes, int64_t size);  // nullptr: the size only
  int (*name_to_id)(void* model, const char* type, const char* name);
  const char* (*id_to_name)(void* model, const char* type, int id);
  int (*state_size)(void* model, int components);
  // The fields of mjModel ('m') or of mjData ('d'). False: there is no field `index`.
  bool (*field)(void* model, char of, int index, ParallelPoolBatchField* field);

  // Batches.
  void* (*make)(void* model, int num_envs, int num_threads);
  void (*free)(void* batch);
  int (*num_threads)(void* batch);
  double* (*state)(void* batch);
  mjWarningStat* (*warning)(void* batch);
  const int* (*status)(void* batch);
  const char* (*error)(void* batch, int id);
  bool (*take_warnings)(void* batch);
  bool (*remark)(void* batch, char* text, int size);  // whether it steps in lanes
  void* (*bind)(void* batch, const char* name);
  void* (*expand)(void* batch, const char* name);
  const void* (*expanded)(void* batch, const char* name, int* size);
  int (*set_models)(void* batch, void* const* models, int n);
  bool (*get_model)(void* batch, int id, void* bytes, int64_t size);

  // `ids`: nullptr for all. They return how many simulations have failed.
  int (*step)(void* batch, const int* ids, int n, int steps, int stage);
  int (*forward)(void* batch, const int* ids, int n, int stage);
  int (*reset)(void* batch, const int* ids, int n, const int* keyframes, int stage);
  int (*set_const)(void* batch, const int* ids, int n);
  int (*rollout)(void* batch, const int* ids, int n, int steps, const double* control,
                 int control_spec, const mjBatchRecord* records, int num_records);
};

__attribute__((visibility("default"))) const ParallelPoolBatchApi* parallel_pool_mujoco_batch();
}
