// Running means and variances of the elements of rows, as gymnasium.wrappers.utils.RunningMeanStd
// has them: each operation in NumPy's order and precision, so that all bits are equal.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace parallel_pool {

inline constexpr double kFirstCount = 1e-4;  // of rows, before any is counted

// The sum of at(0) ... at(n - 1) in the order of np.add.reduce over one axis.
template <class T, class At>
T PairwiseSum(const At& at, int64_t first, int64_t n) {
  if (n < 8) {
    T sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += at(first + i);
    return sum;
  }
  if (n > 128) {
    const int64_t half = n / 2 - n / 2 % 8;
    return PairwiseSum<T>(at, first, half) + PairwiseSum<T>(at, first + half, n - half);
  }
  T part[8];
  for (int k = 0; k < 8; ++k) part[k] = at(first + k);
  int64_t i = 8;
  for (; i < n - n % 8; i += 8) {
    for (int k = 0; k < 8; ++k) part[k] += at(first + i + k);
  }
  T sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
  for (; i < n; ++i) sum += at(first + i);
  return sum;
}

// 16 bytes of elements of a row, which every processor adds and divides at once.
template <class T>
using Part __attribute__((vector_size(16))) = T;

template <class V, class T>
V Load(const T* from) {
  V part;
  std::memcpy(&part, from, sizeof(part));
  return part;
}

// The elements of x, clipped to +-limit, which may be infinity. NaN stays.
template <class V, class T>
V ClippedTo(V x, T limit) {
  const V high = V() + limit, low = -high;
  x = x < low ? low : x;
  return x > high ? high : x;
}

// Calls body(first, V()) for parts of `size` elements: V is Part<T>, and T for those left over.
template <class T, class Body>
void ForEachPart(size_t size, const Body& body) {
  constexpr size_t kWidth = 16 / sizeof(T);
  size_t i = 0;
  for (; i + kWidth <= size; i += kWidth) body(i, Part<T>());
  for (; i < size; ++i) body(i, T());
}

// T: the dtype of the rows, float or double.
template <class T>
class Moments {
 public:
  explicit Moments(size_t size)
      : mean(size, 0), var(size, 1), batch_mean_(size), batch_var_(size), scale_(size) {}

  // By element of a row, and the number of rows counted.
  std::vector<T> mean, var;
  double count = kFirstCount;

  // Counts `n` rows.
  void Update(const T* rows, int64_t n) {
    const auto divisor = static_cast<double>(n);
    const size_t size = mean.size();
    const auto element = [&](int64_t row, size_t i, auto zero) {
      return Load<decltype(zero)>(rows + row * size + i);
    };
    SumRows(n, batch_mean_, element);
    for (T& x : batch_mean_) x = static_cast<T>(x / divisor);
    SumRows(n, batch_var_, [&](int64_t row, size_t i, auto zero) {
      const auto apart = element(row, i, zero) - Load<decltype(zero)>(&batch_mean_[i]);
      return apart * apart;
    });
    for (T& x : batch_var_) x = static_cast<T>(x / divisor);
    const double sum = count + divisor;
    const T of_batch = static_cast<T>(n), of_old = static_cast<T>(count);
    const T of_all = static_cast<T>(sum);
    // The first variance, 1, is a float32 in Gymnasium, whatever the dtype of the rows.
    const T of_first = count == kFirstCount ? static_cast<T>(static_cast<float>(count)) : of_old;
    for (size_t i = 0; i < size; ++i) {
      const T delta = batch_mean_[i] - mean[i];
      mean[i] = mean[i] + delta * of_batch / of_all;
      const T squares =
          var[i] * of_first + batch_var_[i] * of_batch + delta * delta * of_old * of_batch / of_all;
      var[i] = squares / of_all;
    }
    count = sum;
  }

  // Subtracts the means from `n` rows, divides by the standard deviations, and clips to +-limit.
  void Normalize(T* rows, int64_t n, double limit) {
    const size_t size = mean.size();
    for (size_t i = 0; i < size; ++i) scale_[i] = std::sqrt(var[i] + static_cast<T>(1e-8));
    ForEachPart<T>(size, [&](size_t first, auto zero) {
      using V = decltype(zero);
      const V m = Load<V>(&mean[first]), s = Load<V>(&scale_[first]);
      for (int64_t row = 0; row < n; ++row) {
        T* const place = rows + row * size + first;
        const V x = ClippedTo((Load<V>(place) - m) / s, static_cast<T>(limit));
        std::memcpy(place, &x, sizeof(x));
      }
    });
  }

 private:
  // Sums at(row, first, V()) over `n` rows: row by row, as np.add.reduce does over the first of
  // several axes.
  template <class At>
  static void SumRows(int64_t n, std::vector<T>& sum, const At& at) {
    if (sum.size() == 1) {
      sum[0] = PairwiseSum<T>([&](int64_t row) { return at(row, 0, T()); }, 0, n);
      return;
    }
    ForEachPart<T>(sum.size(), [&](size_t first, auto zero) {
      auto part = zero;
      for (int64_t row = 0; row < n; ++row) part += at(row, first, zero);
      std::memcpy(&sum[first], &part, sizeof(part));
    });
  }

  std::vector<T> batch_mean_, batch_var_, scale_;
};

// The same of discounted returns: float32 numbers, whose mean and variance are float64.
struct ReturnMoments {
  double mean = 0, var = 1, count = kFirstCount;

  void Update(const float* returns, int64_t n) {
    const auto divisor = static_cast<double>(n);
    const auto at = [&](int64_t i) { return returns[i]; };
    const auto batch_mean = static_cast<float>(PairwiseSum<float>(at, 0, n) / divisor);
    const auto square = [&](int64_t i) {
      const float apart = returns[i] - batch_mean;
      return apart * apart;
    };
    const auto batch_var = static_cast<float>(PairwiseSum<float>(square, 0, n) / divisor);
    const double delta = batch_mean - mean, sum = count + divisor;
    mean = mean + delta * divisor / sum;
    const double squares =
        var * count + batch_var * static_cast<float>(n) + delta * delta * count * divisor / sum;
    var = squares / sum;
    count = sum;
  }
};

}  // namespace parallel_pool
