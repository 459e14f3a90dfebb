// Helpers of tasks: spaces without bounds, and rows that are filled array by array.
#pragma once

#include <mujoco/mujoco.h>

#include <initializer_list>
#include <vector>

#include "parallel_pool/core/options.h"
#include "parallel_pool/core/spec.h"

namespace parallel_pool::mujoco {

inline Space AnyNumber() {
  return Box({}, {-kInf}, {kInf});
}
inline Space AnyNumbers(int n) {
  return Box({n}, {-kInf}, {kInf});
}

template <class T>
void Append(std::vector<T>& to, std::initializer_list<T> more) {
  to.insert(to.end(), more);
}

// Writes a number, if the task has an array for it.
inline void WriteIfPresent(View<double> place, double number) {
  if (place.size > 0) *place = number;
}

// Whether x is strictly between the two numbers.
inline bool Within(const Numbers<2>& range, double x) {
  return range[0] < x && x < range[1];
}

// numpy.clip
inline double Clip(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

// Writes arrays one after another; none if the task has no array for it.
class Row {
 public:
  explicit Row(View<double> row) : out_(row.size == 0 ? nullptr : row.begin()) {}

  Row& Add(const mjtNum* from, int n) {
    for (int i = 0; i < n; ++i) *out_++ = from[i];
    return *this;
  }
  Row& AddClipped(const mjtNum* from, int n, double low, double high) {
    for (int i = 0; i < n; ++i) *out_++ = Clip(from[i], low, high);
    return *this;
  }
  template <class F>
  Row& AddEach(const mjtNum* from, int n, const F& f) {
    for (int i = 0; i < n; ++i) *out_++ = f(from[i]);
    return *this;
  }

 private:
  double* out_;
};

}  // namespace parallel_pool::mujoco
