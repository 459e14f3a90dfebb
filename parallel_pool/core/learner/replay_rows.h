// The rows of a replay buffer, and which of them are transitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parallel_pool/core/learner/sum_tree.h"

namespace parallel_pool {

// An array of the buffer: a row for each row of each ring, line by line. The caller owns it.
struct RingArray {
  std::byte* data = nullptr;
  int64_t bytes = 0;  // of a row
  // Frames of an observation, of which a row keeps the newest; 1: a row is an observation.
  int64_t frames = 1;
};

// Rows that a pool has returned, each of another line. Every array has a row for each of them.
struct ArrivedRows {
  std::span<const int32_t> lines;
  std::vector<const std::byte*> obs;  // of each array of observations, with all frames
  // With resets_at_once: the last observations of the episodes that have ended in this step.
  std::vector<const std::byte*> finals;
  const bool* has_final = nullptr;  // nullptr: no row has one
  // Of the steps that led here; nullptr: the observations begin episodes.
  const std::byte* reward = nullptr;
  const bool *terminated = nullptr, *truncated = nullptr;
  // Where an episode has ended, the observation is the next one's first, and `finals` has the last.
  bool resets_at_once = false;
};

// Each time line, that of an env or of a player, has a ring of `length` rows. A row is an
// observation, and what was done then and came of it. An episode of T steps has T + 1 of them, and
// before them the frames that its first observation needs:
//
//   frames                 f  f  f  0    1    2   ...  T
//   action, reward, ends            yes  yes  yes ...  -
//   a transition                    yes  yes  yes ...  -
//
// A row has an id that is never used again: its number in the line times the number of lines, plus
// the line. No function locks: one thread at a time may call those that are not const.
class ReplayRows {
 public:
  // `stack`: most frames of an observation. `checks_frames`: Observe() does. `whole_episodes`: only
  // episodes that have ended, and whose first row is still there, have transitions.
  // `has_priorities`: see Draw().
  ReplayRows(int64_t lines, int64_t length, int64_t stack, bool checks_frames, bool whole_episodes,
             bool has_priorities);

  // The arrays of observations and rewards; to be called before rows arrive.
  void SetArrays(std::vector<RingArray> obs, RingArray reward);

  // Throws std::invalid_argument, and changes nothing, if the older frames of an observation are
  // not those of the rows before.
  void Observe(const ArrivedRows& rows);
  // Writes the actions in the newest rows of `lines`, unless their episode has ended. Values have a
  // row for each line.
  void Act(std::span<const int32_t> lines, std::span<const RingArray> arrays,
           std::span<const std::byte* const> values);
  // The lines' episodes end without a result of their last actions.
  void Cut(std::span<const int32_t> lines);
  // Players are no longer shown when their env's episode terminates: their last step brings
  // nothing.
  void EndUnseen(std::span<const int32_t> lines);
  // Whether the newest observation of a line is row i of `obs`, and waits for an action.
  bool Shows(int32_t line, std::span<const std::byte* const> obs, int64_t i) const;

  int64_t size() const { return static_cast<int64_t>(valid_.size()); }  // transitions
  // The ids of transitions by their number, from 0 to size() - 1, in no particular order.
  void FindIds(std::span<const int64_t> numbers, int64_t* ids) const;
  // The id of a line's newest row; negative, if it has none.
  int64_t FindNewest(int32_t line) const { return (lines_[line].count - 1) * lines() + line; }
  // Bits of Flag for each row, line by line. The memory stays the same.
  enum Flag : uint8_t { kTransition = 1, kTerminated = 2, kTruncated = 4 };
  std::span<const uint8_t> flags() const { return flags_; }

  // Draws a transition for each number from 0 to 1 in proportion to priorities: batch k of n takes
  // the row at (k + number) / n of their sum. `chances`: a row's share of it.
  void Draw(std::span<const double> numbers, int64_t* ids, double* chances) const;
  // Rows that are no longer transitions are left out.
  void SetPriorities(std::span<const int64_t> ids, const double* priorities);

  // The rewards of up to n steps, and where they lead, by the formula of FindNStepReturns():
  //   reward[0] + gamma reward[1] + ... + gamma^(m - 1) reward[m - 1], and discount = gamma^m
  // m < n where the episode ends or the newest row is reached. discount is 0 after a terminal step.
  template <class T>
  struct NStep {
    T *reward, *discount;
    bool *terminated, *truncated;  // of the last of the m steps
    int64_t* next;                 // the id of the observation after it
  };
  template <class T>
  void FindNSteps(std::span<const int64_t> ids, int64_t n, double gamma, const NStep<T>& out) const;

  // The index of each row in its episode, which has ended, and the steps of the episode.
  void FindEpisodes(std::span<const int64_t> ids, int64_t* index, int64_t* steps) const;

  // Sequences of the rows of an episode: up to `before` steps before a row, and `length` from it.
  struct Sequences {
    int64_t* first;    // ids
    int64_t* rows;     // the observations there are, up to before + length + 1
    int64_t* learned;  // the index of the row itself
    bool *is_transition, *terminated, *truncated;  // shape (rows, before + length)
  };
  void FindSequences(std::span<const int64_t> ids, int64_t before, int64_t length,
                     const Sequences& out) const;

  // Where a row is: the first row of its line, and the row's place among the line's.
  struct Place { int64_t first, place; };
  void FindPlaces(std::span<const int64_t> ids, std::vector<Place>& places) const;

  // Copies `width` rows, the first of them `before` rows before each place. used[i], if given, is
  // how many of them there are: others are 0.
  void Gather(const RingArray& array, std::span<const Place> places, int64_t before, int64_t width,
              const int64_t* used, std::byte* out) const;

  // Whether all rows with these ids are still there.
  bool HasAll(std::span<const int64_t> ids) const;
  int64_t lines() const { return static_cast<int64_t>(lines_.size()); }
  int64_t length() const { return length_; }
  int64_t most_used() const;  // rows of a line that were written, at most
  std::string Save() const;
  // False, with nothing changed, if the bytes are not those of such rows.
  bool Load(const std::string& saved);

 private:
  struct Line {
    int64_t count = 0;  // of rows so far
    int64_t begin = 0;  // the number of the episode's first observation
    int64_t row = 0;    // the newest one, if there is any
    bool is_open = false, is_acted = false;
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  int64_t RowOf(int64_t line, int64_t number) const { return line * length_ + number % length_; }
  int64_t LineOf(int64_t id) const { return id % lines(); }
  int64_t NumberOf(int64_t id) const { return id / lines(); }
  int64_t IdOf(int64_t row) const;
  bool HasRow(int64_t line, int64_t number) const {
    const Line& of = lines_[line];
    return number < of.count && number >= of.count - length_ && number >= 0;
  }
  // The number of the oldest row whose frames are all there.
  int64_t OldestOf(const Line& line) const;

  void CheckFrames(const ArrivedRows& rows) const;
  bool FollowsFrames(int64_t line, const RingArray& array, const std::byte* obs) const;
  bool Begins(const ArrivedRows& rows, size_t i) const;
  int64_t Append(int64_t line);
  void Evict(int64_t line, int64_t number);
  void Begin(int64_t line, const std::vector<const std::byte*>& obs, size_t i);
  void AppendObs(int64_t line, const std::vector<const std::byte*>& obs, size_t i);
  void TakeResult(const ArrivedRows& rows, size_t i);
  void Close(int64_t line);
  void Validate(int64_t row);
  void Invalidate(int64_t row);

  const int64_t length_, stack_;
  const bool checks_frames_, whole_episodes_;
  std::vector<RingArray> obs_;
  RingArray reward_;
  std::vector<Line> lines_;
  // One of each row has each of these.
  std::vector<uint8_t> flags_;
  std::vector<uint32_t> step_;   // the index in its episode
  std::vector<uint32_t> left_;   // the steps that follow in its episode, once that has ended
  std::vector<uint32_t> place_;  // in valid_; kNone: it is no transition
  std::vector<uint32_t> valid_;  // rows
  std::optional<SumTree> tree_;
  double most_priority_ = 1;  // so far: that of new rows
};

}  // namespace parallel_pool
