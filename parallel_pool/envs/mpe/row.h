// The observation of one agent, number by number.
#pragma once

#include <span>

#include "parallel_pool/envs/mpe/world.h"

namespace parallel_pool::mpe {

class Row {
 public:
  explicit Row(float* next) : next_(next) {}

  void Add(double number) { *next_++ = static_cast<float>(number); }
  void Add(Point point) {
    Add(point.x);
    Add(point.y);
  }
  void Add(std::span<const double> numbers) {
    for (const double number : numbers) Add(number);
  }

  float* end() const { return next_; }

 private:
  float* next_;
};

}  // namespace parallel_pool::mpe
