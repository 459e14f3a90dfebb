// The parts of rewards: infos, and weights that are options.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace parallel_pool::highway {

enum class TermType { kNumber, kFlag, kInteger };

// One part of the reward of a task whose options are a Config.
template <class Config>
struct RewardTerm {
  const char* name;  // of the info rewards.NAME, and of the option that is its weight
  TermType type;
  double Config::* weight = nullptr;  // nullptr: 0
};

inline constexpr int kMostTerms = 5;

// One term of each of a task's RewardTerms.
using TermValues = std::array<double, kMostTerms>;

template <class Config, size_t n>
double WeightedSum(const std::array<RewardTerm<Config>, n>& terms, const Config& config,
                   const TermValues& values) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    sum += (terms[i].weight == nullptr ? 0 : config.*terms[i].weight) * values[i];
  }
  return sum;
}

// The results of each player.
struct Agents {
  std::vector<double> rewards;
  std::vector<uint8_t> are_over;

  void Resize(size_t count) {
    rewards.resize(count);
    are_over.resize(count);
  }
};

}  // namespace parallel_pool::highway
