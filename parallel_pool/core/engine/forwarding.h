// A setup made of another one, and its group: all calls go to the other one, and a class that
// inherits from these changes some of them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

class ForwardingSetup : public Setup {
 public:
  explicit ForwardingSetup(std::shared_ptr<const Setup> setup) : setup_(std::move(setup)) {}

  const TaskSpec& task() const override { return setup_->task(); }
  Span<ArraySpec> action_spec() const override { return setup_->action_spec(); }
  Span<ArraySpec> state_spec() const override { return setup_->state_spec(); }
  Span<OptionValue> options() const override { return setup_->options(); }
  Span<OptionSpec> reset_options() const override { return setup_->reset_options(); }
  int32_t most_players() const override { return setup_->most_players(); }
  Span<PlayerSpec> players() const override { return setup_->players(); }
  Span<TaskPart> parts() const override { return setup_->parts(); }
  bool has_constant_players() const override { return setup_->has_constant_players(); }
  bool is_deterministic() const override { return setup_->is_deterministic(); }
  const char* remark() const override { return setup_->remark(); }
  int32_t goal_size() const override { return setup_->goal_size(); }
  void JudgeGoals(const double* achieved, const double* desired, int64_t count,
                  Outcome* outcomes) const noexcept override {
    setup_->JudgeGoals(achieved, desired, count, outcomes);
  }
  int32_t render_fps() const override { return setup_->render_fps(); }
  bool GetRenderSize(ImageSize* size, Error* error) const noexcept override {
    return setup_->GetRenderSize(size, error);
  }
  int32_t preferred_chunk() const override { return setup_->preferred_chunk(); }

  // The setup that a group of the task knows.
  static const Setup* Inner(const Setup* setup) {
    while (const auto* const outer = dynamic_cast<const ForwardingSetup*>(setup)) {
      setup = outer->setup_.get();
    }
    return setup;
  }

 protected:
  const std::shared_ptr<const Setup> setup_;
};

class ForwardingGroup : public EnvGroup {
 public:
  explicit ForwardingGroup(std::unique_ptr<EnvGroup> group) : group_(std::move(group)) {}

  bool Create(int32_t env, uint64_t seed, const Setup* setup, Error* error) noexcept override {
    return group_->Create(env, seed, ForwardingSetup::Inner(setup), error);
  }
  bool Rebuild(int32_t env, const Setup* setup, Error* error) noexcept override {
    return group_->Rebuild(env, ForwardingSetup::Inner(setup), error);
  }
  bool Prepare(int32_t env, const NextReset& next, Error* error) noexcept override {
    NextReset inner = next;
    inner.setup = ForwardingSetup::Inner(next.setup);
    return group_->Prepare(env, inner, error);
  }
  void Step(const int32_t* envs, const Turn* turns, int32_t count, std::byte* const* actions,
            Result* results) noexcept override {
    group_->Step(envs, turns, count, actions, results);
  }
  void Observe(const int32_t* envs, int32_t count, std::byte* const* columns, int64_t first_row,
               Result* results) noexcept override {
    group_->Observe(envs, count, columns, first_row, results);
  }
  const char* Failure(int32_t env) const override { return group_->Failure(env); }
  bool Save(int32_t env, Writer& writer, Error* error) noexcept override {
    return group_->Save(env, writer, error);
  }
  bool Load(int32_t env, Reader& reader, Error* error) noexcept override {
    return group_->Load(env, reader, error);
  }
  bool Render(int32_t env, uint8_t* rgb, Error* error) noexcept override {
    return group_->Render(env, rgb, error);
  }
  bool RenderText(int32_t env, Writer& text, Error* error) noexcept override {
    return group_->RenderText(env, text, error);
  }
  bool GetBodies(int32_t env, bool with_shapes, BodyReceiver& bodies,
                 Error* error) noexcept override {
    return group_->GetBodies(env, with_shapes, bodies, error);
  }

 protected:
  const std::unique_ptr<EnvGroup> group_;
};

}  // namespace parallel_pool
