// The common parts of tasks.
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>

#include "parallel_pool/envs/mujoco/metaworld/task.h"

namespace parallel_pool::mujoco::metaworld {

inline constexpr double kReached = .05;  // m

constexpr double Is(bool yes) {
  return yes ? 1 : 0;
}

// Writes rows one after another; returns the number of their numbers.
template <class... Rows>
int Join(double* row, const Rows&... rows) {
  double* end = row;
  ((end = std::copy(std::begin(rows), std::end(rows), end)), ...);
  return static_cast<int>(end - row);
}

// The same of a place and a rotation: a quaternion, or a matrix.
inline int JoinPose(double* row, const double* place, const double* quat) {
  return Join(row, std::span(place, 3), std::span(quat, 4));
}
inline int JoinTurned(double* row, const double* place, const double* matrix) {
  double quat[4];
  MatrixToQuat(matrix, quat);
  return JoinPose(row, place, quat);
}

// Sets `sum` to a + b.
inline void Add(const double* a, const double (&b)[3], double* sum) {
  for (int i = 0; i < 3; ++i) sum[i] = a[i] + b[i];
}

// The distance of two places, whose parts along the axes count as often as `scale` says.
inline double ScaledDistance(const double* a, const double* b, const double (&scale)[3]) {
  constexpr double kZero[3] = {};
  double apart[3];
  for (int i = 0; i < 3; ++i) apart[i] = (a[i] - b[i]) * scale[i];
  return Distance3(apart, kZero);
}

// A task whose episode's vector begins with the place of a body of the model.
class Placed : public Task {
 public:
  Placed(Sawyer& sawyer, const char* body) : Task(sawyer), body_(sawyer.Body(body)) {}
  void Edit() override { std::copy_n(episode().vector, 3, sawyer().BodyPlace(body_)); }

 protected:
  int body() const { return body_; }

 private:
  const int body_;
};

template <class T>
std::unique_ptr<Task> Make(Sawyer& sawyer) {
  return std::make_unique<T>(sawyer);
}

}  // namespace parallel_pool::mujoco::metaworld
