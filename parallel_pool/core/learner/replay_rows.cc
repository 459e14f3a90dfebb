#include "parallel_pool/core/learner/replay_rows.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "parallel_pool/core/byte_string.h"
#include "parallel_pool/core/save.h"

namespace parallel_pool {

ReplayRows::ReplayRows(int64_t lines, int64_t length, int64_t stack, bool checks_frames,
                       bool whole_episodes, bool has_priorities)
    : length_(length),
      stack_(stack),
      checks_frames_(checks_frames),
      whole_episodes_(whole_episodes),
      lines_(lines) {
  // A step, its result and the frames of an episode's first observation have room at a time.
  if (lines < 1 || stack < 1 || length < 2 * stack + 2 || length >= kNone / lines) {
    throw std::invalid_argument("a replay buffer cannot have such rows");
  }
  const int64_t rows = lines * length;
  flags_.resize(rows);
  step_.resize(rows);
  left_.resize(rows);
  place_.assign(rows, kNone);
  if (has_priorities) tree_.emplace(rows);
}

void ReplayRows::SetArrays(std::vector<RingArray> obs, RingArray reward) {
  obs_ = std::move(obs);
  reward_ = reward;
}

int64_t ReplayRows::IdOf(int64_t row) const {
  const int64_t line = row / length_, newest = lines_[line].count - 1;
  const int64_t age = (newest % length_ - row % length_ + length_) % length_;
  return (newest - age) * lines() + line;
}

int64_t ReplayRows::OldestOf(const Line& line) const {
  return std::max<int64_t>(0, line.count - length_) + stack_ - 1;
}

// Whether the array's older frames are those of the line's newest rows.
bool ReplayRows::FollowsFrames(int64_t line, const RingArray& array, const std::byte* obs) const {
  const int64_t older = array.frames - 1;
  for (int64_t k = 0; k < older; ++k) {
    const int64_t row = RowOf(line, lines_[line].count - older + k);
    if (std::memcmp(array.data + array.bytes * row, obs + array.bytes * k, array.bytes) != 0) {
      return false;
    }
  }
  return true;
}

bool ReplayRows::Begins(const ArrivedRows& rows, size_t i) const {
  const Line& line = lines_[rows.lines[i]];
  return rows.reward == nullptr || !line.is_open || !line.is_acted;
}

void ReplayRows::CheckFrames(const ArrivedRows& rows) const {
  if (!checks_frames_) return;
  for (size_t i = 0; i < rows.lines.size(); ++i) {
    if (Begins(rows, i)) continue;
    const bool is_end = rows.resets_at_once && (rows.terminated[i] || rows.truncated[i]);
    if (is_end && (rows.has_final == nullptr || !rows.has_final[i])) continue;
    const auto& obs = is_end ? rows.finals : rows.obs;
    for (size_t k = 0; k < obs_.size(); ++k) {
      const RingArray& array = obs_[k];
      const std::byte* const frames = obs[k] + array.bytes * array.frames * i;
      if (FollowsFrames(rows.lines[i], array, frames)) continue;
      throw std::invalid_argument("the older frames of an observation are not those before it");
    }
  }
}

void ReplayRows::Observe(const ArrivedRows& rows) {
  CheckFrames(rows);
  for (size_t i = 0; i < rows.lines.size(); ++i) {
    const int64_t line = rows.lines[i];
    if (!Begins(rows, i)) {
      TakeResult(rows, i);
      continue;
    }
    Close(line);
    // A player that has left may be shown until its env's episode ends.
    const bool is_end = rows.reward != nullptr && (rows.terminated[i] || rows.truncated[i]);
    if (!is_end) Begin(line, rows.obs, i);
  }
}

void ReplayRows::TakeResult(const ArrivedRows& rows, size_t i) {
  const int64_t line = rows.lines[i], row = lines_[line].row;
  const bool is_end = rows.terminated[i] || rows.truncated[i];
  const bool begins_next = is_end && rows.resets_at_once;
  // An env that threw shows no last observation.
  const bool is_seen = !begins_next || (rows.has_final != nullptr && rows.has_final[i]);
  if (is_seen) {
    std::memcpy(reward_.data + reward_.bytes * row, rows.reward + reward_.bytes * i, reward_.bytes);
    flags_[row] = static_cast<uint8_t>(kTransition | (rows.terminated[i] ? kTerminated : 0) |
                                       (rows.truncated[i] ? kTruncated : 0));
    AppendObs(line, begins_next ? rows.finals : rows.obs, i);
    if (!whole_episodes_) Validate(row);
  }
  if (is_end) Close(line);
  if (begins_next) Begin(line, rows.obs, i);
}

void ReplayRows::Act(std::span<const int32_t> lines, std::span<const RingArray> arrays,
                     std::span<const std::byte* const> values) {
  for (size_t i = 0; i < lines.size(); ++i) {
    Line& line = lines_[lines[i]];
    if (!line.is_open) continue;
    line.is_acted = true;
    const int64_t row = line.row;
    for (size_t k = 0; k < arrays.size(); ++k) {
      const int64_t bytes = arrays[k].bytes;
      std::memcpy(arrays[k].data + bytes * row, values[k] + bytes * i, bytes);
    }
  }
}

void ReplayRows::Cut(std::span<const int32_t> lines) {
  for (const int32_t line : lines) Close(line);
}

void ReplayRows::EndUnseen(std::span<const int32_t> lines) {
  for (const int32_t id : lines) {
    Line& line = lines_[id];
    if (!line.is_open || !line.is_acted) continue;
    const int64_t row = line.row, last = Append(id);
    std::memset(reward_.data + reward_.bytes * row, 0, reward_.bytes);
    flags_[row] = kTransition | kTerminated;
    step_[last] = step_[row] + 1;
    for (const RingArray& array : obs_) {
      std::memcpy(array.data + array.bytes * last, array.data + array.bytes * row, array.bytes);
    }
    if (!whole_episodes_) Validate(row);
    Close(id);
  }
}

bool ReplayRows::Shows(int32_t line, std::span<const std::byte* const> obs, int64_t i) const {
  const Line& of = lines_[line];
  if (!of.is_open || of.is_acted) return false;
  const int64_t row = of.row;
  for (size_t k = 0; k < obs_.size(); ++k) {
    const RingArray& a = obs_[k];
    const std::byte* const newest = obs[k] + a.bytes * (a.frames * (i + 1) - 1);
    if (std::memcmp(a.data + a.bytes * row, newest, a.bytes) != 0) return false;
  }
  return true;
}

// The line's next row, for an observation or a frame.
int64_t ReplayRows::Append(int64_t line) {
  Line& of = lines_[line];
  if (of.count >= length_) Evict(line, of.count - length_);
  const int64_t first = line * length_;
  of.row = of.count == 0 || of.row + 1 == first + length_ ? first : of.row + 1;
  ++of.count;
  const int64_t row = of.row;
  flags_[row] = 0;
  step_[row] = left_[row] = 0;
  return row;
}

void ReplayRows::Evict(int64_t line, int64_t number) {
  const int64_t row = RowOf(line, number);
  Invalidate(row);
  // An observation's frames are rows of its own episode.
  for (int64_t k = 1; k < stack_; ++k) Invalidate(RowOf(line, number + k));
  if (!whole_episodes_) return;
  const bool is_step = (flags_[row] & kTransition) != 0;
  for (int64_t k = 1; is_step && step_[row] == 0 && k < left_[row]; ++k) {
    Invalidate(RowOf(line, number + k));
  }
}

void ReplayRows::Begin(int64_t line, const std::vector<const std::byte*>& obs, size_t i) {
  for (int64_t k = 0; k + 1 < stack_; ++k) {
    const int64_t row = Append(line);
    for (size_t n = 0; n < obs_.size(); ++n) {
      const RingArray& array = obs_[n];
      const int64_t frame = k - (stack_ - array.frames);  // the newest of each is the first row's
      if (frame < 0) continue;
      std::memcpy(array.data + array.bytes * row, obs[n] + array.bytes * (array.frames * i + frame),
                  array.bytes);
    }
  }
  lines_[line].begin = lines_[line].count;
  AppendObs(line, obs, i);
  lines_[line].is_open = true;
}

void ReplayRows::AppendObs(int64_t line, const std::vector<const std::byte*>& obs, size_t i) {
  const int64_t row = Append(line);
  Line& of = lines_[line];
  step_[row] = static_cast<uint32_t>(of.count - 1 - of.begin);
  of.is_acted = false;
  for (size_t k = 0; k < obs_.size(); ++k) {
    const RingArray& array = obs_[k];
    const std::byte* const newest = obs[k] + array.bytes * (array.frames * (i + 1) - 1);
    std::memcpy(array.data + array.bytes * row, newest, array.bytes);
  }
}

// Ends the line's episode with its newest row.
void ReplayRows::Close(int64_t id) {
  Line& line = lines_[id];
  if (!line.is_open) return;
  line.is_open = line.is_acted = false;
  const int64_t last = line.count - 1, oldest = OldestOf(line);
  const bool is_whole = whole_episodes_ && line.begin >= oldest;
  for (int64_t number = std::max(line.begin, line.count - length_); number < last; ++number) {
    const int64_t row = RowOf(id, number);
    left_[row] = static_cast<uint32_t>(last - number);
    if (is_whole) Validate(row);
  }
}

void ReplayRows::Validate(int64_t row) {
  place_[row] = static_cast<uint32_t>(valid_.size());
  valid_.push_back(static_cast<uint32_t>(row));
  if (tree_) tree_->Set(row, most_priority_);
}

void ReplayRows::Invalidate(int64_t row) {
  const uint32_t place = place_[row];
  if (place == kNone) return;
  place_[valid_.back()] = place;
  valid_[place] = valid_.back();
  valid_.pop_back();
  place_[row] = kNone;
  if (tree_) tree_->Set(row, 0);
}

int64_t ReplayRows::most_used() const {
  int64_t most = 0;
  for (const Line& line : lines_) most = std::max(most, line.count);
  return std::min(most, length_);
}

std::string ReplayRows::Save() const {
  ByteWriter writer;
  WriteAll(writer, std::tie(lines_, flags_, step_, left_, place_, valid_, most_priority_));
  if (tree_) WriteAll(writer, std::tie(tree_->sums()));
  return std::move(writer.written);
}

bool ReplayRows::Load(const std::string& saved) {
  ReplayRows loaded(lines(), length_, stack_, checks_frames_, whole_episodes_, tree_.has_value());
  ByteReader reader(saved);
  auto& lines = loaded.lines_;
  auto& flags = loaded.flags_;
  auto &step = loaded.step_, &left = loaded.left_, &place = loaded.place_, &valid = loaded.valid_;
  const size_t rows = flags_.size();
  bool is_right = ReadAll(reader, std::tie(lines, flags, step, left, place, valid)) &&
                  ReadAll(reader, std::tie(loaded.most_priority_));
  if (is_right && tree_) is_right = ReadAll(reader, std::tie(loaded.tree_->sums()));
  const auto is_row = [rows](uint32_t row) { return row < rows; };
  is_right = is_right && reader.left() == 0 && lines.size() == lines_.size() &&
             flags.size() == rows && step.size() == rows && left.size() == rows &&
             place.size() == rows && valid.size() <= rows && std::ranges::all_of(valid, is_row) &&
             (!tree_ || loaded.tree_->sums().size() == tree_->sums().size());
  if (!is_right) return false;
  std::swap(lines_, lines);
  std::ranges::copy(flags, flags_.begin());
  std::swap(step_, step);
  std::swap(left_, left);
  std::swap(place_, place);
  std::swap(valid_, valid);
  if (tree_) std::swap(tree_->sums(), loaded.tree_->sums());
  most_priority_ = loaded.most_priority_;
  return true;
}

}  // namespace parallel_pool
