// Calls on idle envs: new options, Save, Load and Render.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "parallel_pool/core/byte_string.h"
#include "parallel_pool/core/engine/errors.h"
#include "parallel_pool/core/engine/forwarding.h"
#include "parallel_pool/core/engine/option_bytes.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/save.h"

namespace parallel_pool {

EnvSetup Pool::env_options(int32_t env) const {
  return {env_setups_.empty() ? setup_ : env_setups_[env], envs_[env].max_steps};
}

void Pool::Rebuild(int32_t env, EnvSetup options) {
  EnvState& state = envs_[env];
  Unqueue(env);
  if (ForwardingSetup::Inner(options.setup.get()) !=
      ForwardingSetup::Inner(env_options(env).setup.get())) {
    if (env_setups_.empty()) env_setups_.assign(options_.num_envs, setup_);
    state.next = Turn::kReset;
    state.begun = false;
    Error error;
    if (!group_->Rebuild(env, options.setup.get(), &error)) {
      if (error.env_is_lost) claims_.Lose(env);
      Throw(NameOf(env), error);
    }
    env_setups_[env] = std::move(options.setup);
  }
  state.max_steps = options.max_episode_steps;
  if (recorder_) recorder_->Rebuild(env, env_options(env));
}

void Pool::Queue(int32_t env, const NextReset& next) {
  Error error;
  Unqueue(env);
  if (next.reset_options.size > 0 && !group_->SetResetOptions(env, next.reset_options, &error)) {
    Throw(task_ + ": reset options", error);
  }
  const bool is_new = ForwardingSetup::Inner(next.options.setup.get()) !=
                      ForwardingSetup::Inner(env_options(env).setup.get());
  const uint64_t* const seed = next.seed ? &*next.seed : nullptr;
  if (!group_->Prepare(env, seed, is_new ? next.options.setup.get() : nullptr, &error)) {
    ThrowFailure(env, error);
  }
  ByteWriter values;
  for (const OptionValue& value : next.reset_options) WriteOption(values, value);
  if (queued_.empty()) queued_.resize(options_.num_envs);
  queued_[env] = {next.seed, next.options, std::move(values.written)};
  envs_[env].next_max_steps = next.options.max_episode_steps;
  if (recorder_) recorder_->Queue(env);
}

std::string Pool::SaveQueued(int32_t env) const {
  if (queued(env) == nullptr) return {};
  const Queued& next = queued_[env];
  ByteWriter writer;
  uint64_t seed = next.seed.value_or(0);
  bool has_seed = next.seed.has_value();
  WriteAll(writer, std::tie(has_seed, seed));
  return writer.written + next.reset_options;
}

void Pool::LoadQueued(int32_t env, const std::string& bytes, const EnvSetup& options) {
  ByteReader reader(bytes);
  uint64_t seed = 0;
  bool has_seed = false;
  bool good = ReadAll(reader, std::tie(has_seed, seed));
  ReadOptions values;
  if (bytes.size() > sizeof(seed) + sizeof(has_seed)) {
    for (const OptionSpec& option : setup_->reset_options()) {
      good = good && values.Read(reader, option);
    }
  }
  if (!good) throw std::invalid_argument(NameOf(env) + ": what was queued for it is damaged");
  NextReset next{.seed = {}, .options = options, .reset_options = values.span()};
  if (has_seed) next.seed = seed;
  Queue(env, next);
}

void Pool::DropQueued(int32_t env) {
  envs_[env].next_max_steps = 0;
  queued_[env] = {};
  Error error;
  group_->Prepare(env, nullptr, nullptr, &error);
  if (setup_->reset_options().size > 0) ClearResetOptions(env);
}

// After a batch: envs that were reset have what was queued for them.
void Pool::Settle(const Batch& batch) {
  const auto* ids = batch.column<int32_t>(layout_.engine_column(BatchLayout::kEnvId));
  for (int row = 0; row < batch.rows(); ++row) {
    const int32_t env = ids[row];
    if (envs_[env].is_lost) claims_.Lose(env);
    if (queued_.empty() || !queued_[env].options.setup || queued(env) != nullptr) continue;
    if (env_setups_.empty()) env_setups_.assign(options_.num_envs, setup_);
    env_setups_[env] = std::exchange(queued_[env], {}).options.setup;
  }
}

void Pool::SetResetOptions(int32_t env, Span<OptionValue> values) {
  Error error;
  Unqueue(env);
  if (!group_->SetResetOptions(env, values, &error)) Throw(task_ + ": reset options", error);
  if (recorder_) recorder_->SetResetOptions(env, values);
}

void Pool::ClearResetOptions(int32_t env) {
  std::vector<OptionValue> defaults;
  for (const OptionSpec& option : setup_->reset_options()) {
    defaults.push_back(option.initial);
    defaults.back().is_default = true;
  }
  SetResetOptions(env, {defaults.data(), static_cast<int32_t>(defaults.size())});
}

std::string Pool::Save(int32_t env) {
  if (!can_save()) {
    throw std::invalid_argument(task_ + ": this task cannot save its state");
  }
  ByteWriter writer;
  EnvState& state = envs_[env];
  WriteAll(writer, std::tie(state.elapsed_step, state.next, state.begun));
  const int64_t count = layout_.episodes_per_env();
  for (int64_t k = 0; k < count; ++k) {
    Episode episode = episodes_.empty() ? Episode() : episodes_[env * count + k];
    WriteAll(writer, std::tie(episode.sum, episode.begun_at, episode.open_steps));
  }
  if (layout_.most_players() > 0) WriteAll(writer, std::tie(players_[env]));
  float discounted = transforms_.return_of(env);
  WriteAll(writer, std::tie(discounted));
  Error error;
  if (!group_->Save(env, writer, &error)) ThrowFailure(env, error);
  return std::move(writer.written);
}

void Pool::Load(int32_t env, const std::string& bytes) {
  Unqueue(env);
  ByteReader reader(bytes);
  EnvState state{.max_steps = envs_[env].max_steps};
  std::vector<Episode> episodes(layout_.episodes_per_env());
  const auto read_episode = [&](Episode& episode) {
    return ReadAll(reader, std::tie(episode.sum, episode.begun_at, episode.open_steps));
  };
  int32_t players = 0;
  float discounted = 0;
  Error error;
  if (ReadAll(reader, std::tie(state.elapsed_step, state.next, state.begun)) &&
      std::ranges::all_of(episodes, read_episode) &&
      (layout_.most_players() == 0 || ReadAll(reader, std::tie(players))) && players >= 0 &&
      players <= layout_.most_players() && ReadAll(reader, std::tie(discounted)) &&
      group_->Load(env, reader, &error)) {
    envs_[env] = state;
    if (!episodes_.empty()) {
      std::ranges::copy(episodes, &episodes_[env * static_cast<int64_t>(episodes.size())]);
    }
    if (layout_.most_players() > 0) players_[env] = players;
    transforms_.set_return(env, discounted);
    is_loaded_ = true;
    moves_.store(moves() + 1, std::memory_order_relaxed);
    if (recorder_) recorder_->Load(env, bytes);
    return;
  }
  envs_[env] = {.max_steps = envs_[env].max_steps};
  if (error.out_of_memory) ThrowFailure(env, error);
  throw std::invalid_argument(task_ + ": these bytes are no state of env " + std::to_string(env) +
                              ": they are damaged, or of other options or wrappers (stack_num)");
}

void Pool::Render(int32_t env, uint8_t* rgb) {
  CheckBegun(env);
  Error error;
  if (!group_->Render(env, rgb, &error)) ThrowFailure(env, error);
}

std::string Pool::RenderText(int32_t env) {
  CheckBegun(env);
  ByteWriter writer;
  Error error;
  if (!group_->RenderText(env, writer, &error)) ThrowFailure(env, error);
  return std::move(writer.written);
}

ImageSize Pool::RenderSize() const {
  ImageSize size{};
  Error error;
  if (!setup_->GetRenderSize(&size, &error)) throw std::runtime_error(task_ + ": " + error.text);
  return size;
}

void Pool::CheckBegun(int32_t env) const {
  if (envs_[env].begun) return;
  throw std::invalid_argument(
      task_ + ": env " + std::to_string(env) +
      " was never reset, or its reset failed: there is nothing to render yet");
}

void Pool::ThrowFailure(int32_t env, const Error& error) const {
  const std::string text = NameOf(env) + ": " + error.text;
  if (error.out_of_memory) throw OutOfMemory(text);
  if (error.is_refusal) throw std::invalid_argument(text);
  throw std::runtime_error(text);
}

}  // namespace parallel_pool
