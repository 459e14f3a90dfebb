#include "parallel_pool/core/workers/runtime_setup.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "parallel_pool/core/env_slots.h"

namespace parallel_pool {
namespace {

constexpr OptionSpec kResetOptions[] = {
    {.name = "options",
     .doc = "what reset(options=...) of the envs receives",
     .initial = {.type = OptionType::kString, .text = ""},
     .min = 0,
     .max = 0,
     .choices = {}},
};

std::vector<ArraySpec> SpecsOf(const std::vector<DescribedArray>& arrays) {
  std::vector<ArraySpec> specs;
  for (const DescribedArray& a : arrays) specs.push_back(SpecOf(a.column, a.meanings.c_str()));
  return specs;
}

}  // namespace

class RuntimeSetup final : public Setup {
 public:
  explicit RuntimeSetup(const RuntimeTask& task) : task_(task) {}

  const TaskSpec& task() const override { return task_.spec_; }
  Span<ArraySpec> action_spec() const override { return Span<ArraySpec>::Of(task_.action_); }
  Span<ArraySpec> state_spec() const override { return Span<ArraySpec>::Of(task_.state_); }
  Span<OptionValue> options() const override { return {}; }
  Span<OptionSpec> reset_options() const override { return {kResetOptions, 1}; }
  int32_t most_players() const override { return task_.most_players_; }
  Span<PlayerSpec> players() const override { return Span<PlayerSpec>::Of(task_.players_); }
  bool has_constant_players() const override { return false; }
  int32_t render_fps() const override { return task_.description_.render_fps; }
  bool GetRenderSize(ImageSize* size, Error* error) const noexcept override {
    *size = task_.description_.picture;
    if (size->height > 0) return true;
    internal::Write(error, "its envs have no picture of a known size");
    return false;
  }
  int32_t preferred_chunk() const override { return 1; }
  EnvGroup* MakeGroup(int32_t, Error* error) const noexcept override {
    internal::Write(error, "its envs are in other processes");
    return nullptr;
  }

 private:
  const RuntimeTask& task_;
};

RuntimeTask::RuntimeTask(TaskFields description)
    : description_(std::move(description)),
      spec_{.id = description_.id.c_str(),
            .suite = "",
            .twin_of = "",
            .max_episode_steps = std::numeric_limits<int32_t>::max(),
            .reward_threshold = std::numeric_limits<double>::quiet_NaN(),
            .can_save = description_.can_save,
            .can_render = description_.can_render,
            .can_render_text = description_.can_render_text,
            .turn_based = false},
      action_(SpecsOf(description_.action)),
      state_(SpecsOf(description_.state)) {
  for (ArraySpec& spec : action_) {  // an env in Python gets actions as they were sent
    if (spec.dtype == DType::kFloat32) spec.dtype = DType::kFloat32Or64;
  }
  for (const DescribedPlayer& player : description_.players) {
    const PlayerArrays& own =
        player_arrays_.emplace_back(PlayerArrays{SpecsOf(player.action), SpecsOf(player.state)});
    players_.push_back({.name = player.name.c_str(),
                        .role = player.role.c_str(),
                        .action = Span<ArraySpec>::Of(own.action),
                        .state = Span<ArraySpec>::Of(own.state)});
  }
  for (const ArraySpec& spec : state_) most_players_ = std::max(most_players_, spec.players);
}

bool RuntimeTask::GetOptions(OptionSpecs* specs, Error*) const noexcept {
  *specs = {.options = {}, .reset_options = {kResetOptions, 1}};
  return true;
}

Setup* RuntimeTask::Configure(Span<OptionValue>, const Setup*, Error* error) const noexcept {
  auto* const setup = new (std::nothrow) RuntimeSetup(*this);
  if (setup == nullptr) {
    internal::Write(error, internal::kOutOfMemory);
    error->out_of_memory = true;
  }
  return setup;
}

}  // namespace parallel_pool
