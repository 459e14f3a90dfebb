#include "parallel_pool/core/engine/transforms.h"

#include <cmath>
#include <cstring>

namespace parallel_pool {
namespace {

bool IsFloat(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64;
}

// Whether a column has observations of floats.
bool IsObservation(const Column& column) {
  const bool is_part = column.name == "obs" || column.name.starts_with("obs:");
  return is_part && column.kind == SpaceKind::kBox && IsFloat(column.dtype);
}

template <class T>
void Clip(T* numbers, int64_t n, double limit) {
  ForEachPart<T>(n, [&](size_t first, auto zero) {
    const auto high = zero + static_cast<T>(limit), low = -high;
    auto x = Load<decltype(zero)>(numbers + first);
    x = x < low ? low : x;
    x = x > high ? high : x;
    std::memcpy(numbers + first, &x, sizeof(x));
  });
}

void Clip(std::byte* numbers, DType dtype, int64_t n, double limit) {
  if (dtype == DType::kFloat32) {
    Clip(reinterpret_cast<float*>(numbers), n, limit);
  } else {
    Clip(reinterpret_cast<double*>(numbers), n, limit);
  }
}

}  // namespace

Transforms::Transforms(const PoolOptions& options, const BatchLayout& layout)
    : options_(options.transforms), layout_(layout), any_(options_.any()) {
  const bool has_ends = options.autoreset == Autoreset::kSameStep;
  for (size_t k = 0; k < layout.num_state_columns(); ++k) {
    const Column& column = layout.columns()[k];
    if (!IsObservation(column)) continue;
    const size_t end_column = has_ends ? layout.end_column(k) : 0;
    if (options_.clip_observation > 0) {
      clipped_.push_back({k, column.row_size(), column.dtype});
      if (has_ends) clipped_.push_back({end_column, column.row_size(), column.dtype});
    }
    if (!options_.normalize_observation) continue;
    const auto size = static_cast<size_t>(column.row_size());
    Observation& array = observations_.emplace_back(
        Observation{column.name, column.shape, k, end_column, Moments<float>(0)});
    if (column.dtype == DType::kFloat32) {
      array.moments = Moments<float>(size);
    } else {
      array.moments = Moments<double>(size);
    }
  }
  if (!options_.normalize_reward) return;
  sums_.resize(options.num_envs);
  counted_.resize(options.num_envs);
}

void Transforms::Apply(Batch& batch) {
  for (Observation& array : observations_) {
    std::visit(
        [&](auto& moments) {
          ApplyTo(moments, array, batch);
          if (array.end_column != 0) ApplyToEnds(moments, array, batch);
        },
        array.moments);
  }
  for (const Clipped& clipped : clipped_) {
    Clip(batch.columns()[clipped.column], clipped.dtype, batch.rows() * clipped.size,
         options_.clip_observation);
  }
  const size_t reward = layout_.engine_column(BatchLayout::kReward);
  const Column& column = layout_.columns()[reward];
  if (options_.normalize_reward) {
    if (column.dtype == DType::kFloat32) {
      ApplyToRewards<float>(batch);
    } else {
      ApplyToRewards<double>(batch);
    }
  }
  if (options_.clip_reward > 0) {
    Clip(batch.columns()[reward], column.dtype, batch.rows() * column.row_size(),
         options_.clip_reward);
  }
}

template <class T>
void Transforms::ApplyTo(Moments<T>& moments, const Observation& array, const Batch& batch) {
  T* const rows = batch.column<T>(array.column);
  if (!batch.any_failed()) {
    if (options_.update_statistics) moments.Update(rows, batch.rows());
    moments.Normalize(rows, batch.rows());
    return;
  }
  const auto size = static_cast<int64_t>(moments.mean.size());
  for (int row = 0; row < batch.rows(); ++row) {
    if (!batch.failed(row)) moments.Normalize(rows + row * size, 1);
  }
}

template <class T>
void Transforms::ApplyToEnds(Moments<T>& moments, const Observation& array,
                             const Batch& batch) const {
  T* const rows = batch.column<T>(array.end_column);
  const bool* const has_end = batch.column<bool>(layout_.engine_column(BatchLayout::kFinalObsMask));
  const auto size = static_cast<int64_t>(moments.mean.size());
  for (int row = 0; row < batch.rows(); ++row) {
    if (has_end[row]) moments.Normalize(rows + row * size, 1);
  }
}

// gymnasium.wrappers.vector.NormalizeReward, but each episode begins with a return of 0.
template <class T>
void Transforms::ApplyToRewards(const Batch& batch) {
  T* const reward = batch.column<T>(layout_.engine_column(BatchLayout::kReward));
  const auto* env_id = batch.column<int32_t>(layout_.engine_column(BatchLayout::kEnvId));
  const auto* step_type = batch.column<int32_t>(layout_.engine_column(BatchLayout::kStepType));
  const auto* terminated = batch.column<bool>(layout_.engine_column(BatchLayout::kTerminated));
  const auto* truncated = batch.column<bool>(layout_.engine_column(BatchLayout::kTruncated));
  const auto gamma = static_cast<float>(options_.gamma);
  int64_t counted = 0;
  for (int row = 0; row < batch.rows(); ++row) {
    float& kept = sums_[env_id[row]];
    const bool is_step = !batch.resets() && step_type[row] != BatchLayout::kFirst;
    // In Gymnasium's precision: float32 before the product with an integer, then float64.
    const float discounted = kept * gamma;
    const auto sum = static_cast<float>(static_cast<double>(terminated[row] ? 0.0F : discounted) +
                                        static_cast<double>(reward[row]));
    counted_[counted] = sum;
    counted += is_step ? 1 : 0;
    if (!is_step && step_type[row] != BatchLayout::kFirst) continue;  // a row that repeats another
    kept = !is_step || terminated[row] || truncated[row] ? 0 : sum;
  }
  if (options_.update_statistics && !batch.any_failed() && counted > 0) {
    returns_.Update(counted_.data(), counted);
  }
  const double scale = std::sqrt(returns_.var + 1e-8);
  for (int row = 0; row < batch.rows(); ++row) reward[row] = static_cast<T>(reward[row] / scale);
}

}  // namespace parallel_pool
