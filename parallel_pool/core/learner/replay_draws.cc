#include <algorithm>
#include <cstring>

#include "parallel_pool/core/learner/replay_rows.h"

namespace parallel_pool {
namespace {

// Rows lie far apart in memory: a loop over them asks for each so many turns before it reads it.
constexpr size_t kAhead = 12;

inline void Prefetch(const void* place) {
  __builtin_prefetch(place);
}

}  // namespace

void ReplayRows::FindIds(std::span<const int64_t> numbers, int64_t* ids) const {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i + kAhead < numbers.size()) Prefetch(&valid_.at(numbers[i + kAhead]));
    ids[i] = IdOf(valid_.at(numbers[i]));
  }
}

void ReplayRows::Draw(std::span<const double> numbers, int64_t* ids, double* chances) const {
  const double share = tree_->total() / static_cast<double>(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const int64_t row = tree_->Find((static_cast<double>(i) + numbers[i]) * share);
    ids[i] = IdOf(row);
    chances[i] = tree_->Get(row) / tree_->total();
  }
}

void ReplayRows::SetPriorities(std::span<const int64_t> ids, const double* priorities) {
  for (size_t i = 0; i < ids.size(); ++i) {
    most_priority_ = std::max(most_priority_, priorities[i]);
    const int64_t line = LineOf(ids[i]), row = RowOf(line, NumberOf(ids[i]));
    if (HasRow(line, NumberOf(ids[i])) && place_[row] != kNone) tree_->Set(row, priorities[i]);
  }
}

template <class T>
void ReplayRows::FindNSteps(std::span<const int64_t> ids, int64_t n, double gamma,
                            const NStep<T>& out) const {
  const T discount = static_cast<T>(gamma);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i + kAhead < ids.size()) {
      const int64_t row = RowOf(LineOf(ids[i + kAhead]), NumberOf(ids[i + kAhead]));
      Prefetch(&flags_[row]);
      Prefetch(reward_.data + reward_.bytes * row);
    }
    const int64_t line = LineOf(ids[i]);
    int64_t number = NumberOf(ids[i]), row = RowOf(line, number);
    T sum = 0, power = 1;
    for (int64_t m = 0;; ++m) {
      T reward;
      std::memcpy(&reward, reward_.data + reward_.bytes * row, sizeof(T));
      sum += power * reward;
      power *= discount;
      const bool is_end = (flags_[row] & (kTerminated | kTruncated)) != 0;
      const int64_t next = RowOf(line, ++number);
      if (m + 1 == n || is_end || (flags_[next] & kTransition) == 0) break;
      row = next;
    }
    out.reward[i] = sum;
    out.terminated[i] = (flags_[row] & kTerminated) != 0;
    out.truncated[i] = (flags_[row] & kTruncated) != 0;
    out.discount[i] = out.terminated[i] ? T{0} : power;
    out.next[i] = number * lines() + line;
  }
}
template void ReplayRows::FindNSteps<float>(std::span<const int64_t>, int64_t, double,
                                            const NStep<float>&) const;
template void ReplayRows::FindNSteps<double>(std::span<const int64_t>, int64_t, double,
                                             const NStep<double>&) const;

void ReplayRows::FindEpisodes(std::span<const int64_t> ids, int64_t* index, int64_t* steps) const {
  for (size_t i = 0; i < ids.size(); ++i) {
    const int64_t row = RowOf(LineOf(ids[i]), NumberOf(ids[i]));
    index[i] = step_[row];
    steps[i] = step_[row] + left_[row];
  }
}

void ReplayRows::FindSequences(std::span<const int64_t> ids, int64_t before, int64_t length,
                               const Sequences& out) const {
  const int64_t width = before + length;
  std::fill_n(out.is_transition, ids.size() * width, false);
  std::fill_n(out.terminated, ids.size() * width, false);
  std::fill_n(out.truncated, ids.size() * width, false);
  for (size_t i = 0; i < ids.size(); ++i) {
    const int64_t line = LineOf(ids[i]), number = NumberOf(ids[i]);
    const int64_t own = step_[RowOf(line, number)];
    const int64_t oldest = std::max(number - own, OldestOf(lines_[line]));
    const int64_t first = std::max(oldest, number - before), end = number + length;
    int64_t at = first;
    for (; at < end; ++at) {
      const uint8_t flags = flags_[RowOf(line, at)];
      if ((flags & kTransition) == 0) break;
      const int64_t place = width * static_cast<int64_t>(i) + at - first;
      out.is_transition[place] = true;
      out.terminated[place] = (flags & kTerminated) != 0;
      out.truncated[place] = (flags & kTruncated) != 0;
    }
    out.first[i] = first * lines() + line;
    out.rows[i] = at - first + 1;
    out.learned[i] = number - first;
  }
}

void ReplayRows::FindPlaces(std::span<const int64_t> ids, std::vector<Place>& places) const {
  places.resize(ids.size());
  const int64_t count = lines();
  for (size_t i = 0; i < ids.size(); ++i) {
    const int64_t number = ids[i] / count;
    places[i] = {(ids[i] - number * count) * length_, number % length_};
  }
}

void ReplayRows::Gather(const RingArray& array, std::span<const Place> places, int64_t before,
                        int64_t width, const int64_t* used, std::byte* out) const {
  const int64_t bytes = array.bytes;
  for (size_t i = 0; i < places.size(); ++i) {
    if (i + kAhead < places.size()) {
      const auto& [first, place] = places[i + kAhead];
      Prefetch(array.data + bytes * (first + place));
    }
    const std::byte* const line = array.data + bytes * places[i].first;
    const int64_t n = used != nullptr ? used[i] : width;
    int64_t begin = places[i].place - before;
    if (begin < 0) begin += length_;
    const int64_t until_end = std::min(n, length_ - begin);
    std::memcpy(out, line + bytes * begin, bytes * until_end);
    if (until_end < n) std::memcpy(out + bytes * until_end, line, bytes * (n - until_end));
    if (n < width) std::memset(out + bytes * n, 0, bytes * (width - n));
    out += bytes * width;
  }
}

bool ReplayRows::HasAll(std::span<const int64_t> ids) const {
  return std::ranges::all_of(
      ids, [&](int64_t id) { return id >= 0 && HasRow(LineOf(id), NumberOf(id)); });
}

}  // namespace parallel_pool
