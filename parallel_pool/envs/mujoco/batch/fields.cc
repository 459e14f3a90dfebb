#include "parallel_pool/envs/mujoco/batch/fields.h"

#include <mujoco/mjxmacro.h>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace parallel_pool::mujoco {
namespace {

// As NumPy writes a type; 0: it is none of numbers.
template <class T>
constexpr char TypeCode() {
  if constexpr (std::is_same_v<T, mjtNum>) return 'd';
  if constexpr (std::is_same_v<T, float>) return 'f';
  if constexpr (std::is_same_v<T, int>) return 'i';
  if constexpr (std::is_same_v<T, mjtSize>) return 'q';
  if constexpr (std::is_same_v<T, uintptr_t>) return 'Q';
  if constexpr (std::is_same_v<T, mjtByte>) return 'B';
  if constexpr (std::is_same_v<T, mjtBool>) return '?';
  return 0;
}

template <class Struct>
void Keep(const FieldOf<Struct>& field, std::vector<FieldOf<Struct>>& fields) {
  if (field.type != 0) fields.push_back(field);
}

#undef MJ_M
#define MJ_M(n) m.n

std::vector<FieldOf<mjData>> MakeDataFields() {
  std::vector<FieldOf<mjData>> fields;
#define X(type, name, nr, nc)                                                                   \
  Keep<mjData>({#name, #nr, TypeCode<type>(), [](const mjModel& m) -> int64_t { return m.nr; }, \
                [](const mjModel&) -> int64_t { return nc; },                                   \
                [](const mjData& d) -> const void* { return d.name; }},                         \
               fields);
  MJDATA_POINTERS
#undef X
  // One number each; those that are no int count bytes, or are the time.
#define X(type, name)                                                                        \
  if (std::is_same_v<type, int> || std::is_same_v<type, mjtNum>)                             \
    Keep<mjData>({#name, "", TypeCode<type>(), [](const mjModel&) -> int64_t { return -1; }, \
                  [](const mjModel&) -> int64_t { return 1; },                               \
                  [](const mjData& d) -> const void* { return &d.name; }},                   \
                 fields);
  MJDATA_SCALAR
#undef X
#define X(type, name, nr, nc)                                                              \
  Keep<mjData>({#name, "", TypeCode<type>(), [](const mjModel&) -> int64_t { return nr; }, \
                [](const mjModel&) -> int64_t { return nc; },                              \
                [](const mjData& d) -> const void* { return d.name; }},                    \
               fields);
  MJDATA_VECTOR
#undef X
  return fields;
}

std::vector<FieldOf<mjModel>> MakeModelFields() {
  std::vector<FieldOf<mjModel>> fields;
#define X(type, name, nr, nc)                                                                    \
  Keep<mjModel>({#name, #nr, TypeCode<type>(), [](const mjModel& m) -> int64_t { return m.nr; }, \
                 []([[maybe_unused]] const mjModel& m) -> int64_t { return nc; },                \
                 [](const mjModel& m) -> const void* { return m.name; }},                        \
                fields);
  MJMODEL_POINTERS
#undef X
#define X(type, name, n)                                                                           \
  Keep<mjModel>({"opt." #name, "", TypeCode<type>(), [](const mjModel&) -> int64_t { return -1; }, \
                 [](const mjModel&) -> int64_t { return n; },                                      \
                 [](const mjModel& m) -> const void* { return &m.opt.name; }},                     \
                fields);
#define XVEC(type, name, n)                                                                       \
  Keep<mjModel>({"opt." #name, "", TypeCode<type>(), [](const mjModel&) -> int64_t { return n; }, \
                 [](const mjModel&) -> int64_t { return 1; },                                     \
                 [](const mjModel& m) -> const void* { return m.opt.name; }},                     \
                fields);
  MJOPTION_FIELDS
#undef XVEC
#undef X
  return fields;
}

}  // namespace

std::span<const FieldOf<mjData>> DataFields() {
  static const std::vector<FieldOf<mjData>> fields = MakeDataFields();
  return fields;
}

std::span<const FieldOf<mjModel>> ModelFields() {
  static const std::vector<FieldOf<mjModel>> fields = MakeModelFields();
  return fields;
}

const FieldOf<mjData>* FindDataField(std::string_view name) {
  const auto fields = DataFields();
  const auto found = std::ranges::find(fields, name, &FieldOf<mjData>::name);
  return found == fields.end() ? nullptr : &*found;
}

}  // namespace parallel_pool::mujoco
