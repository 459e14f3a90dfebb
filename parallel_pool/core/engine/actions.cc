#include "parallel_pool/core/engine/actions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace parallel_pool {
namespace {

double BoundOf(const std::vector<double>& bounds, int64_t element) {
  return bounds.size() == 1 ? bounds[0] : bounds[element];
}

bool IsWithin(const Column& array, int64_t element, double number) {
  return number >= BoundOf(array.low, element) && number <= BoundOf(array.high, element);
}

// The allowed values of an integer array: its space's bounds, within the range of its type.
struct Bounds { int64_t low, high; };

template <class To>
Bounds BoundsOf(const Column& array, int64_t element) {
  const double low = BoundOf(array.low, element), high = BoundOf(array.high, element);
  using Limits = std::numeric_limits<To>;
  return {low <= static_cast<double>(Limits::min()) ? static_cast<int64_t>(Limits::min())
                                                    : static_cast<int64_t>(std::ceil(low)),
          high >= static_cast<double>(Limits::max()) ? static_cast<int64_t>(Limits::max())
                                                     : static_cast<int64_t>(std::floor(high))};
}

// Copies one row. Returns the index of the first element that is refused, or -1.
template <class To, class From>
int64_t CopyRow(const Column& array, bool checks_bounds, const From* from, To* to, int64_t size) {
  for (int64_t i = 0; i < size; ++i) {
    const From value = from[i];
    if constexpr (std::is_floating_point_v<To>) {
      const auto number = static_cast<To>(value);
      if (!std::isfinite(number)) return i;
      if (checks_bounds && !IsWithin(array, i, number)) return i;
    } else {
      const Bounds allowed = BoundsOf<To>(array, i);
      if constexpr (std::is_floating_point_v<From>) {
        // long double: 2^63 - 1 as a float or a double is 2^63.
        const long double exact = value;
        if (!(exact >= allowed.low && exact <= allowed.high && exact == std::trunc(exact))) {
          return i;
        }
      } else {
        if (static_cast<int64_t>(value) < allowed.low || static_cast<int64_t>(value) > allowed.high)
          return i;
      }
    }
    to[i] = static_cast<To>(value);
  }
  return -1;
}

// The fast path: one integer per row with one pair of bounds. Nearly every step runs this loop.
template <class To, class From>
int64_t CopyNumbers(const Column& array, const From* from, To* to, std::span<const int32_t> envs) {
  const Bounds allowed = BoundsOf<To>(array, 0);
  for (size_t i = 0; i < envs.size(); ++i) {
    const auto value = static_cast<int64_t>(from[i]);
    if (value < allowed.low || value > allowed.high) return static_cast<int64_t>(i);
    to[envs[i]] = static_cast<To>(value);
  }
  return -1;
}

// The column of the array `common` with the bounds of one player, or of one task, whose own shape
// may be smaller. Elements that are not its own keep the common bounds: the env does not read them.
Column ColumnOf(const ArraySpec& own, const Column& common) {
  Column column = common;
  const Column mine(own);
  const int64_t size = common.shape_size();
  column.low.resize(size);
  column.high.resize(size);
  for (int64_t i = 0; i < size; ++i) {
    int64_t place = 0, stride = 1, rest = i;  // of the element in the player's own array
    for (size_t axis = common.shape.size(); axis-- > 0; rest /= common.shape[axis]) {
      const int64_t at = rest % common.shape[axis];
      if (at >= mine.shape[axis]) place = -1;
      if (place >= 0) place += at * stride;
      stride *= mine.shape[axis];
    }
    column.low[i] = place >= 0 ? BoundOf(mine.low, place) : BoundOf(common.low, i);
    column.high[i] = place >= 0 ? BoundOf(mine.high, place) : BoundOf(common.high, i);
  }
  return column;
}

}  // namespace

template <class To, class From>
int64_t ActionStore::CopyRows(size_t k, const From* from, std::span<const int32_t> envs,
                              std::span<const int32_t> players) const {
  const Column& array = arrays_[k];
  const bool per_player = array.players > 0;
  if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
    const bool is_plain = array.shape.empty() && !per_player && part_of_.empty();
    if (is_plain) return CopyNumbers(array, from, reinterpret_cast<To*>(rows_[k]), envs);
  }
  const int64_t size = array.shape_size(), row_size = array.row_size();
  int64_t read = 0;
  for (size_t i = 0; i < envs.size(); ++i) {
    std::byte* const row = rows_[k] + envs[i] * array.row_bytes();
    if (array.takes_doubles) {
      row[row_size * sizeof(double)] = std::byte{std::is_same_v<To, double>};
    }
    To* next = reinterpret_cast<To*>(row);
    To* const end = next + row_size;
    const int32_t rows = per_player ? players[i] : 1;
    for (int32_t player = 0; player < rows; ++player) {
      const Column& own = allowed(k, player, envs[i]);
      const int64_t bad = CopyRow(own, checks_bounds_, from + read, next, size);
      if (bad >= 0) return read + bad;
      read += size;
      next += size;
    }
    std::fill(next, end, To{0});
  }
  return -1;
}

template <class To, class From>
void ActionStore::Refuse(size_t k, From value, int64_t bad, std::span<const int32_t> envs) const {
  const Column& array = arrays_[k];
  const int64_t size = array.shape_size(), row = bad / size;
  // Players that have names of their own neither come nor go.
  const size_t player = player_names_.empty() ? 0 : row % player_names_.size();
  std::ostringstream text;
  text << task_ << ": " << array.name << '[' << row << ']';
  if (!array.shape.empty()) text << " (element " << bad % size << ')';
  if (array.players > 0 && !player_names_.empty()) text << " of " << player_names_[player];
  const int32_t env = part_of_.empty() ? 0 : envs[row];
  if (!part_of_.empty()) text << " of env " << env << " (" << part_names_[part_of_[env]] << ')';
  text << " is " << +value << "; allowed are ";
  const Column& own = allowed(k, player, env);
  if constexpr (std::is_floating_point_v<To>) {
    if (checks_bounds_ && std::isfinite(static_cast<To>(value))) {
      text << "numbers from " << BoundOf(own.low, bad % size) << " to "
           << BoundOf(own.high, bad % size) << " (check_actions)";
    } else {
      text << "finite numbers";
    }
  } else {
    const Bounds bounds = BoundsOf<To>(own, bad % size);
    text << "the integers " << bounds.low << " to " << bounds.high;
  }
  throw std::invalid_argument(text.str());
}

ActionStore::ActionStore(std::string task, Span<ArraySpec> arrays, int num_envs,
                         Span<PlayerSpec> players, Span<TaskPart> parts, bool checks_bounds,
                         PoolMemory* memory)
    : task_(std::move(task)), checks_bounds_(checks_bounds), own_(arrays.size) {
  for (const ArraySpec& spec : arrays) {
    const int64_t bytes = arrays_.emplace_back(spec).row_bytes() * num_envs;
    Block block = MakeBlock(memory, bytes);
    std::memset(block.get(), 0, bytes);
    rows_.push_back(block.get());
    blocks_.push_back(std::move(block));
  }
  AddPlayers(arrays, players);
  AddParts(arrays, parts, num_envs);
}

void ActionStore::AddParts(Span<ArraySpec> arrays, Span<TaskPart> parts, int num_envs) {
  for (const TaskPart& part : parts) {
    part_of_.resize(part.first_env, static_cast<int32_t>(part_names_.size()) - 1);
    part_names_.push_back(part.id);
    for (int32_t k = 0; k < arrays.size; ++k) {
      own_[k].push_back(ColumnOf(part.action[k], arrays_[k]));
    }
  }
  if (parts.size > 0) part_of_.resize(num_envs, parts.size - 1);
}

void ActionStore::AddPlayers(Span<ArraySpec> arrays, Span<PlayerSpec> players) {
  for (const PlayerSpec& player : players) {
    player_names_.push_back(player.name);
    for (int32_t k = 0; k < arrays.size; ++k) {
      const DType dtype = arrays_[k].dtype;
      const bool has_integers = dtype != DType::kFloat32 && dtype != DType::kFloat64;
      const bool has_bounds = has_integers || checks_bounds_;
      if (arrays[k].players == 0 || !has_bounds) continue;
      own_[k].push_back(ColumnOf(player.action[k], arrays_[k]));
    }
  }
}

void ActionStore::Store(size_t k, const ActionInput& input, std::span<const int32_t> envs,
                        std::span<const int32_t> players) {
  WithType(StoredType(k, input.dtype), [&]<class To>(To*) {
    WithType(input.dtype, [&]<class From>(From*) {
      const auto* from = static_cast<const From*>(input.data);
      const int64_t bad = CopyRows<To>(k, from, envs, players);
      if (bad >= 0) Refuse<To>(k, from[bad], bad, envs);
    });
  });
}

}  // namespace parallel_pool
