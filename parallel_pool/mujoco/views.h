// How the free camera looks at each task, as Gymnasium 1.4 has it.
#pragma once

#include "parallel_pool/mujoco/ant.h"
#include "parallel_pool/mujoco/any_model.h"
#include "parallel_pool/mujoco/half_cheetah.h"
#include "parallel_pool/mujoco/hopper.h"
#include "parallel_pool/mujoco/humanoid.h"
#include "parallel_pool/mujoco/humanoid_standup.h"
#include "parallel_pool/mujoco/inverted_double_pendulum.h"
#include "parallel_pool/mujoco/inverted_pendulum.h"
#include "parallel_pool/mujoco/pusher.h"
#include "parallel_pool/mujoco/reacher.h"
#include "parallel_pool/mujoco/rendering/pictured.h"
#include "parallel_pool/mujoco/swimmer.h"
#include "parallel_pool/mujoco/walker2d.h"

namespace parallel_pool::mujoco {

// From `distance`, a little from above, at a point over the origin, in m.
constexpr FreeView Over(mjtNum z, mjtNum distance, mjtNum elevation = -20) {
  return {.distance = distance, .elevation = elevation, .is_fixed = true, .place = {0, 0, z}};
}

template <>
struct ViewOf<AnyModel> {
  static constexpr FreeView kView = {};
};
template <int v>
struct ViewOf<Ant<v>> {
  static constexpr FreeView kView = {.distance = 4};
};
template <int v>
struct ViewOf<HalfCheetah<v>> {
  static constexpr FreeView kView = {.distance = 4};
};
template <int v>
struct ViewOf<Hopper<v>> {
  static constexpr FreeView kView = Over(1.15, 3);
};
template <int v>
struct ViewOf<Humanoid<v>> {
  static constexpr FreeView kView = Over(2, 4);
};
template <int v>
struct ViewOf<HumanoidStandup<v>> {
  static constexpr FreeView kView = Over(0.8925, 4);
};
template <int v>
struct ViewOf<InvertedDoublePendulum<v>> {
  static constexpr FreeView kView = v == 5 ? FreeView{} : Over(0.12250000000000005, 4.1225, -45);
};
template <int v>
struct ViewOf<InvertedPendulum<v>> {
  static constexpr FreeView kView = {.distance = 2.04};
};
template <int v>
struct ViewOf<Pusher<v>> {
  static constexpr FreeView kView = {.distance = 4};
};
template <int v>
struct ViewOf<Reacher<v>> {
  static constexpr FreeView kView = {};
};
template <int v>
struct ViewOf<Swimmer<v>> {
  static constexpr FreeView kView = {};
};
template <int v>
struct ViewOf<Walker2d<v>> {
  static constexpr FreeView kView = Over(1.15, 4);
};

}  // namespace parallel_pool::mujoco
