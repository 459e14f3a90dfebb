#include "parallel_pool/core/engine/action_bits.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "parallel_pool/core/engine/bits.h"

namespace parallel_pool {

ActionBits::ActionBits(const ActionStore& actions, size_t k, int num_envs)
    : dtype_(actions.arrays()[k].dtype), item_bytes_(ItemBytes(dtype_)) {
  if (dtype_ == DType::kFloat32 || dtype_ == DType::kFloat64) return;
  const Column& array = actions.arrays()[k];
  double low = INFINITY, high = -INFINITY;
  for (int32_t env = 0; env < num_envs; ++env) {
    for (int32_t player = 0; player < std::max(array.players, 1); ++player) {
      const Column& own = actions.allowed(k, player, env);
      for (const double bound : own.low) low = std::min(low, bound);
      for (const double bound : own.high) high = std::max(high, bound);
      if (&own == &array) break;
    }
    if (&actions.allowed(k, 0, env) == &array) break;
  }
  if (!(high - low < 256) || std::abs(low) > 1e15) return;
  low_ = static_cast<int64_t>(std::ceil(low));
  const double values = std::floor(high) - static_cast<double>(low_) + 1;
  bits_ = values <= 2 ? 1 : values <= 4 ? 2 : values <= 16 ? 4 : 8;
}

void ActionBits::Pack(const std::byte* elements, int64_t count, std::string* out) const {
  const size_t begin = out->size();
  out->resize(begin + BytesOf(count));
  char* const to = out->data() + begin;
  if (bits_ == 0) {
    std::memcpy(to, elements, count * item_bytes_);
    return;
  }
  WithType(dtype_, [&]<class T>(T*) {
    if constexpr (std::is_integral_v<T>) {
      PackBits(reinterpret_cast<const T*>(elements), count, static_cast<T>(low_), bits_, to);
    }
  });
}

void ActionBits::Unpack(std::string_view bytes, int64_t count, std::byte* elements) const {
  if (bits_ == 0) {
    std::memcpy(elements, bytes.data(), count * item_bytes_);
    return;
  }
  WithType(dtype_, [&]<class T>(T*) {
    auto* const to = reinterpret_cast<T*>(elements);
    for (int64_t i = 0; i < count; ++i) {
      const auto byte = static_cast<uint8_t>(bytes[i * bits_ / 8]);
      to[i] = static_cast<T>((byte >> i * bits_ % 8 & ((1 << bits_) - 1)) + low_);
    }
  });
}

}  // namespace parallel_pool
