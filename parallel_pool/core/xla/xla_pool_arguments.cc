// XlaPool: checks and conversions of the arguments of a call.
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "parallel_pool/core/xla/xla_pool.h"

namespace parallel_pool {
namespace {

// Integers of one dimension, or one number.
template <class F>
void ForEachInteger(const std::string& what, const XlaArray& array, const F& f) {
  const bool is_wide = array.dtype == DType::kInt64;
  if ((!is_wide && array.dtype != DType::kInt32) || array.shape.size() > 1) {
    throw std::invalid_argument(what + " must be int32 or int64, and have one dimension");
  }
  const int64_t count = array.shape.empty() ? 1 : array.shape[0];
  for (int64_t i = 0; i < count; ++i) {
    if (is_wide) {
      f(reinterpret_cast<const int64_t*>(array.data)[i]);
    } else {
      f(reinterpret_cast<const int32_t*>(array.data)[i]);
    }
  }
}

}  // namespace

// The number of arguments and results, and the states among them: programs of parallel_pool.jax
// have the right ones.
void XlaPool::CheckForm(const XlaCall& call) const {
  const bool has_action = call.kind == XlaKind::kStep || call.kind == XlaKind::kSend;
  const size_t arguments =
      1 + (has_action ? pool_->actions().arrays().size() : 0) + call.has_env_id + call.has_seed;
  const size_t results = call.receives() ? 1 + columns_.size() : 1;
  const auto is_state = [](const XlaArray& array) {
    return array.dtype == DType::kUint8 && array.shape.size() == 1 && array.shape[0] == kStateBytes;
  };
  if (call.arguments.size() == arguments && call.results.size() == results &&
      is_state(call.arguments[0]) && is_state(call.results[0])) {
    return;
  }
  throw std::invalid_argument(task_ + ": a call has " + std::to_string(call.arguments.size()) +
                              " arguments and " + std::to_string(call.results.size()) +
                              " results; it must have " + std::to_string(arguments) + " and " +
                              std::to_string(results) + ", the first a state of uint8 (8,)");
}

void XlaPool::CheckState(const XlaCall& call) const {
  uint64_t given = 0;
  std::memcpy(&given, call.arguments.front().data, kStateBytes);
  if (given >> kCountBits != static_cast<uint64_t>(id_)) {
    throw std::invalid_argument(task_ + ": this state (or handle) is of another pool");
  }
  if (!call.counted || given == state()) return;
  const auto count_of = [](uint64_t s) {
    return std::to_string(s & ((uint64_t{1} << kCountBits) - 1));
  };
  throw std::runtime_error(
      task_ + ": this state is not the latest (" + count_of(given) + ", now " + count_of(state()) +
      "): use the state that the last call returned, once, and on one device only");
}

void XlaPool::CheckResults(const XlaCall& call, int64_t rows) const {
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = pool_->columns()[columns_[i]];
    CheckArray(task_ + ": the result " + column.name, call.results[i + 1], column, rows);
  }
}

std::span<const int32_t> XlaPool::ReadIds(const XlaCall& call) {
  ids_.clear();
  if (!call.has_env_id) {
    ids_.resize(pool_->options().num_envs);
    std::iota(ids_.begin(), ids_.end(), 0);
    return ids_;
  }
  const size_t from_end = call.has_seed ? 2 : 1;
  ForEachInteger(task_ + ": env_id", call.arguments[call.arguments.size() - from_end],
                 [&](int64_t id) {
                   using Limits = std::numeric_limits<int32_t>;
                   const bool fits = id >= Limits::min() && id <= Limits::max();
                   ids_.push_back(fits ? static_cast<int32_t>(id) : -1);  // -1: is refused, too
                 });
  return ids_;
}

std::vector<uint64_t> XlaPool::ReadSeeds(const XlaArray& seeds, size_t count) const {
  std::vector<uint64_t> all;
  ForEachInteger(task_ + ": seed", seeds, [&](int64_t seed) {
    if (seed < 0) {
      throw std::invalid_argument(task_ + ": seed is " + std::to_string(seed) +
                                  "; allowed are the integers from 0 on");
    }
    all.push_back(seed);
  });
  if (seeds.shape.empty()) {  // seed, seed + 1, ...
    all.resize(count);
    std::iota(all.begin(), all.end(), all.front());
  }
  if (all.size() == count) return all;
  throw std::invalid_argument(task_ + ": seed has " + std::to_string(all.size()) +
                              " values; it must have one for each of " + std::to_string(count) +
                              " envs");
}

}  // namespace parallel_pool
