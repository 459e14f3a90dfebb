// The last change of a batch before the user receives it: observations and rewards are normalized
// and clipped, in the batch's own memory. The receiving thread does it, over whole batches, so
// results depend neither on threads nor on the order in which envs finish.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "parallel_pool/core/engine/batch.h"
#include "parallel_pool/core/engine/batch_layout.h"
#include "parallel_pool/core/engine/moments.h"

namespace parallel_pool {

class Transforms {
 public:
  // The running statistics of an array of observations, by element.
  struct Observation {
    std::string name;  // "obs", or "obs:left" of a dict
    std::vector<int32_t> shape;
    size_t column, end_column;  // end_column: that of `final_obs`; 0: there is none
    std::variant<Moments<float>, Moments<double>> moments;
  };

  // The references must stay valid.
  Transforms(const PoolOptions& options, const BatchLayout& layout);

  // Whether there is anything to do.
  bool any() const { return any_; }
  // Receiver: counts the rows of a finished batch, if it `counts`, and transforms them. Rows of
  // envs that threw stay zero, and a batch with such a row is not counted.
  void Apply(Batch& batch, bool counts = true);

  // Empty unless observations are normalized.
  std::vector<Observation>& observations() { return observations_; }
  // Those of the discounted returns.
  ReturnMoments& returns() { return returns_; }
  // The discounted return of an env's episode so far; 0 unless rewards are normalized.
  float return_of(int32_t env) const { return sums_.empty() ? 0 : sums_[env]; }
  void set_return(int32_t env, float sum) {
    if (!sums_.empty()) sums_[env] = sum;
  }

 private:
  template <class T>
  void ApplyTo(Moments<T>& moments, const Observation& array, const Batch& batch, bool counts);
  // The same for the rows of `final_obs`, which are not counted.
  template <class T>
  void ApplyToEnds(Moments<T>& moments, const Observation& array, const Batch& batch) const;
  template <class T>
  void ApplyToRewards(const Batch& batch, bool counts);

  const TransformOptions& options_;
  const BatchLayout& layout_;
  const bool any_;
  std::vector<Observation> observations_;
  struct Clipped {
    size_t column;
    int64_t size;
    DType dtype;
  };
  std::vector<Clipped> clipped_;  // arrays of observations, and their copies
  ReturnMoments returns_;
  std::vector<float> sums_;     // by env: the discounted return of its episode
  std::vector<float> counted_;  // those of a batch
};

}  // namespace parallel_pool
