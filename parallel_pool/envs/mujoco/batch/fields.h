// The arrays of mjData and mjModel, by the names of MuJoCo's own bindings.
#pragma once

#include <mujoco/mujoco.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace parallel_pool::mujoco {

// A field of `Struct`, which is mjData or mjModel.
template <class Struct>
struct FieldOf {
  const char* name;
  const char* rows_name;            // the member of mjModel that counts its rows, such as "nbody"
  char type;                        // of its numbers, as NumPy writes it
  int64_t (*rows)(const mjModel&);  // -1: the field is one number
  int64_t (*columns)(const mjModel&);
  const void* (*address)(const Struct&);
};

// All fields, as far as they are numbers.
std::span<const FieldOf<mjData>> DataFields();
std::span<const FieldOf<mjModel>> ModelFields();

// The field with this name, or nullptr.
const FieldOf<mjData>* FindDataField(std::string_view name);

}  // namespace parallel_pool::mujoco
