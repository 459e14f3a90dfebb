#include "parallel_pool/core/engine/transforms.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "parallel_pool/core/engine/discounted.h"

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
    const auto x = ClippedTo(Load<decltype(zero)>(numbers + first), static_cast<T>(limit));
    std::memcpy(numbers + first, &x, sizeof(x));
  });
}

double Limit(double clip) {  // 0: none
  return clip > 0 ? clip : std::numeric_limits<double>::infinity();
}

// Divides in double, two numbers at once, and clips.
template <class T>
void DivideAndClip(T* numbers, int64_t n, double divisor, double limit) {
  using Two __attribute__((vector_size(2 * sizeof(T)))) = T;
  const T most = static_cast<T>(limit);
  int64_t i = 0;
  for (; i + 2 <= n; i += 2) {
    const auto quotient = __builtin_convertvector(Load<Two>(numbers + i), Part<double>) / divisor;
    const auto shown = ClippedTo(__builtin_convertvector(quotient, Two), most);
    std::memcpy(numbers + i, &shown, sizeof(shown));
  }
  for (; i < n; ++i) numbers[i] = ClippedTo(static_cast<T>(numbers[i] / divisor), most);
}

void Clip(std::byte* numbers, DType dtype, int64_t n, double limit) {
  WithFloat(dtype, [&]<class T>(T*) { Clip(reinterpret_cast<T*>(numbers), n, limit); });
}

}  // namespace

Transforms::Transforms(const PoolOptions& options, const BatchLayout& layout)
    : options_(options.transforms), layout_(layout), any_(options_.any()) {
  const bool has_ends = options.autoreset == Autoreset::kSameStep;
  for (size_t k = 0; k < layout.num_state_columns(); ++k) {
    const Column& column = layout.columns()[k];
    if (!IsObservation(column)) continue;
    const size_t end_column = has_ends ? layout.end_column(k) : 0;
    if (!options_.normalize_observation) {
      if (options_.clip_observation == 0) continue;
      clipped_.push_back({k, column.row_size(), column.dtype});
      if (has_ends) clipped_.push_back({end_column, column.row_size(), column.dtype});
      continue;
    }
    const auto size = static_cast<size_t>(column.row_size());
    Observation& array = observations_.emplace_back(
        Observation{column.name, column.shape, k, end_column, Moments<float>(0)});
    WithFloat(column.dtype, [&]<class T>(T*) { array.moments = Moments<T>(size); });
  }
  if (!options_.normalize_reward) return;
  sums_.resize(options.num_envs);
  counted_.resize(options.num_envs);
}

void Transforms::Apply(Batch& batch, bool counts) {
  for (Observation& array : observations_) {
    std::visit(
        [&](auto& moments) {
          ApplyTo(moments, array, batch, counts);
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
    WithFloat(column.dtype, [&]<class T>(T*) { ApplyToRewards<T>(batch, counts); });
  } else if (options_.clip_reward > 0) {
    Clip(batch.columns()[reward], column.dtype, batch.rows() * column.row_size(),
         options_.clip_reward);
  }
}

template <class T>
void Transforms::ApplyTo(Moments<T>& moments, const Observation& array, const Batch& batch,
                         bool counts) {
  T* const rows = batch.column<T>(array.column);
  if (!batch.any_failed()) {
    if (options_.update_statistics && counts) moments.Update(rows, batch.rows());
    moments.Normalize(rows, batch.rows(), Limit(options_.clip_observation));
    return;
  }
  const auto size = static_cast<int64_t>(moments.mean.size());
  for (int row = 0; row < batch.rows(); ++row) {
    if (batch.failed(row)) continue;
    moments.Normalize(rows + row * size, 1, Limit(options_.clip_observation));
  }
}

template <class T>
void Transforms::ApplyToEnds(Moments<T>& moments, const Observation& array,
                             const Batch& batch) const {
  T* const rows = batch.column<T>(array.end_column);
  const bool* const has_end = batch.column<bool>(layout_.engine_column(BatchLayout::kFinalObsMask));
  const auto size = static_cast<int64_t>(moments.mean.size());
  for (int row = 0; row < batch.rows(); ++row) {
    if (has_end[row]) moments.Normalize(rows + row * size, 1, Limit(options_.clip_observation));
  }
}

template <class T>
void Transforms::ApplyToRewards(const Batch& batch, bool counts) {
  T* const reward = batch.column<T>(layout_.engine_column(BatchLayout::kReward));
  const RewardRows<T> rows{
      .n = batch.rows(),
      .reward = reward,
      .env_id = batch.column<int32_t>(layout_.engine_column(BatchLayout::kEnvId)),
      .step_type = batch.column<int32_t>(layout_.engine_column(BatchLayout::kStepType)),
      .terminated = batch.column<bool>(layout_.engine_column(BatchLayout::kTerminated)),
      .truncated = batch.column<bool>(layout_.engine_column(BatchLayout::kTruncated))};
  int64_t counted = 0;
  if (batch.resets()) {  // its other rows repeat what was
    for (int row = 0; row < batch.rows(); ++row) {
      if (rows.step_type[row] == BatchLayout::kFirst) sums_[rows.env_id[row]] = 0;
    }
  } else if (counts) {
    const auto gamma = static_cast<float>(options_.gamma);
    counted = AddRewards(rows, gamma, sums_.data(), counted_.data());
  }
  if (options_.update_statistics && !batch.any_failed() && counted > 0) {
    returns_.Update(counted_.data(), counted);
  }
  DivideAndClip(reward, batch.rows(), std::sqrt(returns_.var + 1e-8), Limit(options_.clip_reward));
}

}  // namespace parallel_pool
