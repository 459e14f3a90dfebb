// Discounted returns against the formula, row by row.
#include "parallel_pool/core/engine/discounted.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "parallel_pool/core/engine/batch_layout.h"

namespace parallel_pool {
namespace {

// A batch of `n` of 100 envs: in their order from a random one on, or in a random order.
template <class T>
struct RandomRows {
  RandomRows(int n, bool in_order, std::mt19937& random)
      : envs(100), flags(new bool[2 * n]), kinds(n), rewards(n) {
    std::iota(envs.begin(), envs.end(), 0);
    if (in_order) {
      envs.erase(envs.begin(), envs.begin() + random() % (101 - n));
    } else {
      std::shuffle(envs.begin(), envs.end(), random);
    }
    for (int i = 0; i < 2 * n; ++i) flags[i] = random() % 6 == 0;
    for (int32_t& kind : kinds) {
      kind = random() % 6 == 0 ? int{BatchLayout::kFirst} : int{BatchLayout::kFirst} + 1;
    }
    std::normal_distribution<T> any;
    for (T& reward : rewards) reward = any(random);
  }

  std::vector<int32_t> envs;
  std::unique_ptr<bool[]> flags;
  std::vector<int32_t> kinds;
  std::vector<T> rewards;
};

template <class T>
void Compare(bool in_order) {
  std::mt19937 random(1);
  const float gamma = 0.97F;
  std::vector<float> sums(100), expected(100);
  for (int round = 0; round < 2000; ++round) {
    const int n = static_cast<int>(random() % 101);
    RandomRows<T> batch(n, in_order, random);
    const RewardRows<T> rows{n,
                             batch.rewards.data(),
                             batch.envs.data(),
                             batch.kinds.data(),
                             batch.flags.get(),
                             batch.flags.get() + n};
    if (round % 10 == 0 && n > 0) {
      sums[batch.envs[0]] = expected[batch.envs[0]] = std::numeric_limits<float>::quiet_NaN();
    }
    std::vector<float> steps;
    for (int row = 0; row < n; ++row) {
      float& sum = expected[rows.env_id[row]];
      if (rows.step_type[row] == BatchLayout::kFirst) {
        sum = 0;
        continue;
      }
      if (rows.terminated[row]) sum = 0;
      sum = static_cast<float>(static_cast<double>(sum * gamma) + rows.reward[row]);
      steps.push_back(sum);
      if (rows.terminated[row] || rows.truncated[row]) sum = 0;
    }
    std::vector<float> counted(n);
    ASSERT_EQ(AddRewards(rows, gamma, sums.data(), counted.data()),
              static_cast<int64_t>(steps.size()));
    ASSERT_EQ(std::memcmp(counted.data(), steps.data(), steps.size() * sizeof(float)), 0);
    ASSERT_EQ(std::memcmp(sums.data(), expected.data(), sums.size() * sizeof(float)), 0);
  }
}

TEST(Discounted, EqualsTheFormulaForBatchesInTheOrderOfEnvs) {
  Compare<float>(true);
  Compare<double>(true);
}

TEST(Discounted, EqualsTheFormulaForBatchesInAnyOrder) {
  Compare<float>(false);
  Compare<double>(false);
}

}  // namespace
}  // namespace parallel_pool
