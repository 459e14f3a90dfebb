// A setup whose arrays are known only at run time: the envs are in other processes, and their
// spaces were asked for there.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "parallel_pool/core/engine/column.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

struct DescribedArray {
  Column column;
  std::string meanings;  // ArraySpec::meanings
};

struct DescribedPlayer {
  std::string name, role;
  std::vector<DescribedArray> action, state;
};

// A task in data. An option of its resets, "options", is a text for the envs.
struct TaskFields {
  std::string id;
  std::vector<DescribedArray> action, state;
  std::vector<DescribedPlayer> players;
  bool can_save = false, can_render = false, can_render_text = false;
  ImageSize picture{};  // {0, 0}: not known
  int32_t render_fps = 0;
};

// The task and its only setup, which has no options. Its envs are made by a PoolHost.
class RuntimeTask final : public Task {
 public:
  explicit RuntimeTask(TaskFields description);

  const TaskSpec& spec() const override { return spec_; }
  bool GetOptions(OptionSpecs* specs, Error* error) const noexcept override;
  Setup* Configure(Span<OptionValue> values, const Setup* like,
                   Error* error) const noexcept override;

 private:
  friend class RuntimeSetup;

  // Descriptions of arrays that point into description_.
  struct PlayerArrays { std::vector<ArraySpec> action, state; };

  const TaskFields description_;
  TaskSpec spec_;
  std::vector<ArraySpec> action_, state_;
  std::deque<PlayerArrays> player_arrays_;
  std::vector<PlayerSpec> players_;
  int32_t most_players_ = 0;
};

}  // namespace parallel_pool
