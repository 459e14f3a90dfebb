#include "parallel_pool/core/engine/action_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>
#include <utility>

#include "parallel_pool/core/byte_string.h"
#include "parallel_pool/core/save.h"

namespace parallel_pool {
namespace {

// An integer of a type without infinity.
template <class T>
int64_t Clamped(double bound) {
  using Limits = std::numeric_limits<T>;
  if (bound <= static_cast<double>(Limits::min())) return static_cast<int64_t>(Limits::min());
  if (bound >= static_cast<double>(Limits::max())) return static_cast<int64_t>(Limits::max());
  return static_cast<int64_t>(bound);
}

}  // namespace

ActionSampler::ActionSampler(const Setup& setup, int num_envs, uint64_t seed)
    : store_(setup.task().id, setup.action_spec(), num_envs,
             setup.has_constant_players() ? setup.players() : Span<PlayerSpec>{}, setup.parts()),
      rng_(seed) {}

double ActionSampler::DrawFloat(double low, double high) {
  const bool has_low = std::isfinite(low), has_high = std::isfinite(high);
  if (has_low && has_high) return rng_.Uniform(low, high);
  const double size = std::sqrt(-2 * std::log1p(-rng_.Random()));
  if (has_low || has_high) {
    const double beyond = size * size / 2;  // exponential
    return has_low ? low + beyond : high - beyond;
  }
  return size * std::cos(2 * std::numbers::pi * rng_.Random());  // normal, by Box and Muller
}

// A number from 0 to `last`. If there are more than 2^53, some are never drawn.
uint64_t ActionSampler::UpTo(uint64_t last) {
  if (last < (uint64_t{1} << 32) - 1) {
    return static_cast<uint64_t>(rng_.Integers(0, static_cast<int64_t>(last) + 1));
  }
  return static_cast<uint64_t>(rng_.Random() * (static_cast<double>(last) + 1));
}

int64_t ActionSampler::DrawInteger(int64_t low, int64_t high, const int8_t* mask) {
  // Unsigned: int64_t itself may be the range.
  const uint64_t last = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (mask != nullptr) {
    const auto values = static_cast<int64_t>(last) + 1;
    const int64_t legal = values - std::count(mask, mask + values, int8_t{0});
    if (legal > 0) {
      uint64_t left = UpTo(static_cast<uint64_t>(legal) - 1);
      for (int64_t value = 0;; ++value) {
        if (mask[value] != 0 && left-- == 0) return low + value;
      }
    }
  }
  return static_cast<int64_t>(static_cast<uint64_t>(low) + UpTo(last));
}

void ActionSampler::Draw(size_t k, std::span<const int32_t> envs, std::span<const int32_t> players,
                         const int8_t* mask, std::byte* rows) {
  const Column& array = arrays()[k];
  const int64_t size = array.shape_size();
  // A row of a mask has all values of the array, also those that a player or a task lacks.
  const int64_t mask_size = mask == nullptr ? 0
                                            : static_cast<int64_t>(array.high[0]) -
                                                  static_cast<int64_t>(array.low[0]) + 1;
  WithType(array.dtype, [&]<class T>(T*) {
    T* to = reinterpret_cast<T*>(rows);
    for (size_t i = 0; i < envs.size(); ++i) {
      const int32_t count = array.players > 0 ? players[i] : 1;
      for (int32_t player = 0; player < count; ++player) {
        const Column& allowed = store_.allowed(k, player, envs[i]);
        for (int64_t e = 0; e < size; ++e) {
          const auto bound = [&](const std::vector<double>& all, double missing) {
            return all.empty() ? missing : all[all.size() == 1 ? 0 : e];
          };
          const bool is_binary = array.kind == SpaceKind::kMultiBinary;
          const double low = is_binary ? 0 : bound(allowed.low, 0);
          const double high = is_binary ? 1 : bound(allowed.high, 0);
          if constexpr (std::is_floating_point_v<T>) {
            *to++ = static_cast<T>(DrawFloat(low, high));
          } else {
            *to++ = static_cast<T>(DrawInteger(Clamped<T>(low), Clamped<T>(high), mask));
          }
        }
        if (mask != nullptr) mask += mask_size;
      }
    }
  });
}

std::string ActionSampler::Save() {
  ByteWriter writer;
  WriteAll(writer, rng_.Saved());
  return std::move(writer.written);
}

bool ActionSampler::Load(const std::string& bytes) {
  Rng loaded = rng_;
  ByteReader reader(bytes);
  if (!ReadAll(reader, loaded.Saved()) || reader.left() > 0) return false;
  rng_ = loaded;
  return true;
}

}  // namespace parallel_pool
