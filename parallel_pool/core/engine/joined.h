// Several tasks in one pool: a setup made of setups, whose group is made of their groups.
//
// Each task is a part of the pool, and its envs are neighbors. An array of the pool has room for
// the largest one of its parts. A part's own elements are at the beginning of each axis; zeros are
// behind them, and in arrays that the part lacks. Which arrays of the parts become one is decided
// in Python (python/specs/several_tasks.py).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "parallel_pool/core/engine/column.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// An array of the pool.
struct JoinedArray {
  enum Content {
    kOfParts,  // that of the parts
    kTask,     // the number of the env's part
    kMask,     // 1 for each action that the env's part has, unless it has such an array itself
    kShape,    // the shape of the env's own array `of` (1 for a number); zeros if it has none
  };

  Column column;
  std::string meanings;  // ArraySpec::meanings
  Content content = kOfParts;
  int32_t of = -1;
};

struct JoinedPart {
  std::shared_ptr<const Setup> setup;
  int32_t num_envs;
  std::vector<int32_t> action, state;  // the pool's array for each array of the setup
};

// The place of a smaller array in a larger one of the same type, row by row.
class Padding {
 public:
  // Axis by axis, `own` must not be larger than `whole`.
  Padding(const Column& own, const Column& whole);

  bool is_none() const { return own_bytes_ == whole_bytes_; }
  // Gives `rows` rows, which lie one after another at `first`, the form of the larger array. Rows
  // behind the first are overwritten.
  void Expand(std::byte* first, int64_t rows) const;
  // Copies the elements of the smaller array out of a row of the larger one. Each is `items` times
  // as long as one of the arrays' type.
  void Extract(const std::byte* row, std::byte* own, int64_t items = 1) const;

 private:
  int64_t own_bytes_, whole_bytes_, run_bytes_;
  std::vector<int64_t> runs_;  // where each run of neighboring elements begins in a larger row
};

class JoinedSetup final : public Setup {
 public:
  // Throws std::invalid_argument if a part has more arrays than a group can handle.
  JoinedSetup(std::string id, std::vector<JoinedPart> parts, std::vector<JoinedArray> action,
              std::vector<JoinedArray> state);

  const TaskSpec& task() const override { return task_; }
  Span<ArraySpec> action_spec() const override { return Span<ArraySpec>::Of(action_spec_); }
  Span<ArraySpec> state_spec() const override { return Span<ArraySpec>::Of(state_spec_); }
  Span<TaskPart> parts() const override { return Span<TaskPart>::Of(task_parts_); }
  Span<OptionValue> options() const override { return {}; }
  Span<OptionSpec> reset_options() const override { return Span<OptionSpec>::Of(reset_options_); }
  int32_t most_players() const override { return 0; }
  Span<PlayerSpec> players() const override { return {}; }
  bool has_constant_players() const override { return true; }
  int32_t render_fps() const override;
  bool GetRenderSize(ImageSize* size, Error* error) const noexcept override;
  int32_t preferred_chunk() const override;
  EnvGroup* MakeGroup(int32_t num_envs, Error* error) const noexcept override;

 private:
  friend class JoinedGroup;

  // The data of a part that a group needs.
  struct Plan {
    int32_t first_env = 0;
    // For each array of the part's action: its place in the pool's, whose dtype may be int64.
    std::vector<Column> action;
    std::vector<Padding> action_padding, state_padding;
    std::vector<int32_t> absent;         // arrays of the pool's state that the part lacks
    int32_t num_actions = 0;             // values of its action, for kMask
    std::vector<int32_t> reset_options;  // for each option of the part the pool's, or -1
    std::vector<std::vector<int32_t>>
        shapes;  // what kShape arrays hold, for each array of the pool
    ImageSize picture = {};
    std::vector<ArraySpec> allowed;  // TaskPart::action
  };

  void MakePlans();
  void ShareResetOptions();

  const std::string id_;
  const std::vector<JoinedPart> parts_;
  const std::vector<JoinedArray> action_, state_;
  std::vector<Plan> plans_;
  std::vector<TaskPart> task_parts_;
  std::vector<ArraySpec> action_spec_, state_spec_;
  std::vector<OptionSpec> reset_options_;  // those that all parts have
  TaskSpec task_;
};

}  // namespace parallel_pool
