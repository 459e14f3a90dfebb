#include "parallel_pool/envs/mujoco/batch/capi.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "parallel_pool/envs/mujoco/batch/batch.h"
#include "parallel_pool/envs/mujoco/engine/error_exit.h"
#include "parallel_pool/envs/mujoco/engine/model.h"

namespace parallel_pool::mujoco {
namespace {

thread_local std::string failure;

// Returns f(); where it throws, `otherwise`.
template <class T, class F>
T Try(T otherwise, const F& f) noexcept {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    failure = "out of memory";
  } catch (const std::exception& error) {
    failure = error.what();
  } catch (...) {
    failure = "an unknown error";
  }
  return otherwise;
}

const Model& ModelAt(void* model) {
  return *static_cast<const Model*>(model);
}
Batch& BatchAt(void* batch) {
  return *static_cast<Batch*>(batch);
}

void* LoadAny(char kind, const char* text, int64_t size) {
  return Try<void*>(nullptr, [&]() -> void* {
    switch (kind) {
      case 'p':
        return new Model(LoadModel(text));
      case 'x':
        return new Model(ModelFromText(std::string(text, size)));
      default:
        return new Model(ModelFromBytes(text, size));
    }
  });
}

int64_t SaveModel(void* model, void* bytes, int64_t size) {
  return Try<int64_t>(-1, [&]() -> int64_t {
    const mjModel* const m = ModelAt(model).get();
    if (bytes != nullptr) mj_saveModel(m, nullptr, bytes, size);
    return mj_sizeModel(m);
  });
}

template <class Struct>
bool Describe(std::span<const FieldOf<Struct>> fields, const mjModel& m, int index,
              ParallelPoolBatchField* out) {
  if (index >= static_cast<int>(fields.size())) return false;
  const FieldOf<Struct>& field = fields[index];
  *out = {field.name, field.rows_name, field.rows(m), field.columns(m), nullptr, field.type};
  if constexpr (std::is_same_v<Struct, mjModel>) out->address = field.address(m);
  return true;
}

int TypeOf(const char* name) {
  const int type = mju_str2Type(name);
  if (type <= 0) throw std::invalid_argument(std::string("no type of elements: ") + name);
  return type;
}

int SetModels(void* batch, void* const* models, int n) {
  return Try(-1, [&] {
    std::vector<Model> list;
    for (int i = 0; i < n; ++i) list.push_back(ModelAt(models[i]));
    BatchAt(batch).SetModels(std::move(list));
    return 0;
  });
}

// Writes the MJB file of the model of simulation `id`.
bool GetModel(void* batch, int id, void* bytes, int64_t size) {
  return Try(false, [&] {
    Batch& b = BatchAt(batch);
    const mjModel* const of = b.own_model(id);
    mjModel* const copy = mj_copyModel(nullptr, of);
    if (copy == nullptr) throw std::bad_alloc();
    const Model owner(copy, &mj_deleteModel);
    CallBatch([&] {
      mjb_getModel(b.own(), id, copy);
      return 0;
    });
    mj_saveModel(copy, nullptr, bytes, size);
    return true;
  });
}

constexpr ParallelPoolBatchApi kApi = {
    .failure = [] { return failure.c_str(); },
    .load_model = &LoadAny,
    .free_model = [](void* model) { delete static_cast<Model*>(model); },
    .save_model = &SaveModel,
    .name_to_id =
        [](void* model, const char* type, const char* name) {
          return Try(-2, [&] { return mj_name2id(ModelAt(model).get(), TypeOf(type), name); });
        },
    .id_to_name =
        [](void* model, const char* type, int id) {
          return Try<const char*>(
              nullptr, [&] { return mj_id2name(ModelAt(model).get(), TypeOf(type), id); });
        },
    .state_size =
        [](void* model, int components) {
          return Try(-1, [&] { return mj_stateSize(ModelAt(model).get(), components); });
        },
    .field =
        [](void* model, char of, int index, ParallelPoolBatchField* field) {
          const mjModel& m = *ModelAt(model);
          return of == 'm' ? Describe(ModelFields(), m, index, field)
                           : Describe(DataFields(), m, index, field);
        },
    .make =
        [](void* model, int num_envs, int num_threads) {
          return Try<void*>(
              nullptr, [&]() -> void* { return new Batch(ModelAt(model), num_envs, num_threads); });
        },
    .free = [](void* batch) { delete &BatchAt(batch); },
    .num_threads = [](void* batch) { return mjb_nthread(BatchAt(batch).own()); },
    .state = [](void* batch) { return mjb_state(BatchAt(batch).own()); },
    .warning = [](void* batch) { return mjb_warning(BatchAt(batch).own()); },
    .status = [](void* batch) { return BatchAt(batch).status().data(); },
    .error =
        [](void* batch, int id) {
          return Try<const char*>(nullptr, [&] {
            failure = BatchAt(batch).error(id);
            return failure.c_str();
          });
        },
    .take_warnings = [](void* batch) { return BatchAt(batch).TakeWarnings(); },
    .remark =
        [](void* batch, char* text, int size) {
          const std::string remark = BatchAt(batch).Remark();
          std::strncpy(text, remark.c_str(), size - 1);
          text[size - 1] = 0;
          return BatchAt(batch).steps_in_lanes();
        },
    .bind =
        [](void* batch, const char* name) {
          return Try<void*>(nullptr, [&] { return BatchAt(batch).Bind(name); });
        },
    .expand =
        [](void* batch, const char* name) {
          return Try<void*>(nullptr, [&] { return BatchAt(batch).Expand(name); });
        },
    .expanded = [](void* batch, const char* name,
                   int* size) { return mjb_expanded(BatchAt(batch).own(), name, size, nullptr); },
    .set_models = &SetModels,
    .get_model = &GetModel,
    .step =
        [](void* batch, const int* ids, int n, int steps, int stage) {
          return Try(-1, [&] { return BatchAt(batch).Step({ids, n}, steps, stage); });
        },
    .forward =
        [](void* batch, const int* ids, int n, int stage) {
          return Try(-1, [&] { return BatchAt(batch).Forward({ids, n}, stage); });
        },
    .reset =
        [](void* batch, const int* ids, int n, const int* keyframes, int stage) {
          return Try(-1, [&] { return BatchAt(batch).Reset({ids, n}, keyframes, stage); });
        },
    .set_const = [](void* batch, const int* ids,
                    int n) { return Try(-1, [&] { return BatchAt(batch).SetConst({ids, n}); }); },
    .rollout =
        [](void* batch, const int* ids, int n, int steps, const double* control, int control_spec,
           const mjBatchRecord* records, int num_records) {
          return Try(-1, [&] {
            return BatchAt(batch).Rollout({ids, n}, steps, control, control_spec, records,
                                          num_records);
          });
        },
};

}  // namespace
}  // namespace parallel_pool::mujoco

const ParallelPoolBatchApi* parallel_pool_mujoco_batch() {
  return &parallel_pool::mujoco::kApi;
}
