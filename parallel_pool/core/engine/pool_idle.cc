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
namespace {

// Whether both are the same setup to the task.
bool IsSame(const std::shared_ptr<const Setup>& a, const std::shared_ptr<const Setup>& b) {
  return a == b || ForwardingSetup::Inner(a.get()) == ForwardingSetup::Inner(b.get());
}

}  // namespace

EnvSetup Pool::env_options(int32_t env) const {
  return {env_setups_.empty() ? setup_ : env_setups_[env], envs_[env].max_steps};
}

// Builds the env again if these are other options; its random numbers go on.
void Pool::SetOptions(int32_t env, const EnvSetup& options) {
  EnvState& state = envs_[env];
  if (!IsSame(options.setup, env_options(env).setup)) {
    if (env_setups_.empty()) env_setups_.assign(options_.num_envs, setup_);
    state.next = Turn::kReset;
    state.begun = false;
    Error error;
    if (!group_->Rebuild(env, options.setup.get(), &error)) {
      if (error.env_is_lost) claims_.Lose(env);
      Throw(NameOf(env), error);
    }
    env_setups_[env] = options.setup;
  }
  state.max_steps = options.max_episode_steps;
}

void Pool::Prepare(int32_t env, PreparedReset next, bool builds_now) {
  if (!next.options.setup) next.options = env_options(env);
  ReadOptions values;
  ByteReader reader(next.reset_options);
  for (int32_t k = 0; !next.reset_options.empty() && k < setup_->reset_options().size; ++k) {
    if (values.Read(reader, setup_->reset_options()[k])) continue;
    throw std::invalid_argument(NameOf(env) + ": its reset options are damaged");
  }
  const bool is_new = !builds_now && !IsSame(next.options.setup, env_options(env).setup);
  Error error;
  if (!group_->Prepare(env,
                       {.seed = next.seed ? &*next.seed : nullptr,
                        .setup = is_new ? next.options.setup.get() : nullptr,
                        .reset_options = values.span()},
                       &error)) {
    if (!next.reset_options.empty()) Throw(task_ + ": reset options", error);
    ThrowFailure(env, error);
  }
  if (builds_now) {
    Forget(env);
    try {
      SetOptions(env, next.options);
    } catch (...) {
      Unprepare(env);
      throw;
    }
  }
  observer_->Prepare(env, next, builds_now);
  if (builds_now) return;
  if (prepared_.empty()) prepared_.resize(options_.num_envs);
  num_prepared_ += prepared(env) == nullptr;
  envs_[env].next_max_steps = next.options.max_episode_steps;
  prepared_[env] = std::move(next);
}

void Pool::Unprepare(int32_t env) {
  Forget(env);
  Error none;
  group_->Prepare(env, {}, &none);
  observer_->Prepare(env, {.options = env_options(env)}, /*builds_now=*/true);
}

void Pool::Forget(int32_t env) {
  if (prepared(env) == nullptr) return;
  envs_[env].next_max_steps = 0;
  prepared_[env] = {};
  --num_prepared_;
}

std::string Pool::SavePrepared(int32_t env) const {
  if (prepared(env) == nullptr) return {};
  const PreparedReset& next = prepared_[env];
  ByteWriter writer;
  uint64_t seed = next.seed.value_or(0);
  bool has_seed = next.seed.has_value();
  WriteAll(writer, std::tie(has_seed, seed));
  return writer.written + next.reset_options;
}

void Pool::LoadPrepared(int32_t env, const std::string& bytes, const EnvSetup& options) {
  ByteReader reader(bytes);
  uint64_t seed = 0;
  bool has_seed = false;
  if (!ReadAll(reader, std::tie(has_seed, seed))) {
    throw std::invalid_argument(NameOf(env) + ": what was queued for it is damaged");
  }
  Prepare(env, {.seed = has_seed ? std::optional(seed) : std::nullopt,
                .options = options,
                .reset_options = bytes.substr(bytes.size() - reader.left())});
}

// After a batch: envs that were reset have what was prepared for them.
void Pool::Settle(const Batch& batch) {
  const auto* ids = batch.column<int32_t>(layout_.engine_column(BatchLayout::kEnvId));
  for (int row = 0; row < batch.rows(); ++row) {
    const int32_t env = ids[row];
    if (envs_[env].is_lost) claims_.Lose(env);
    if (prepared_.empty() || !prepared_[env].options.setup || prepared(env) != nullptr) continue;
    if (env_setups_.empty()) env_setups_.assign(options_.num_envs, setup_);
    env_setups_[env] = std::exchange(prepared_[env], {}).options.setup;
    --num_prepared_;
  }
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

void Pool::Load(int32_t env, const std::string& bytes, EnvSetup options) {
  if (prepared(env) != nullptr) Unprepare(env);
  if (options.setup) SetOptions(env, options);
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
    observer_->Load(env, bytes);
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

void Pool::GetBodies(int32_t env, bool with_shapes, BodyReceiver& bodies) {
  CheckBegun(env);
  Error error;
  if (!group_->GetBodies(env, with_shapes, bodies, &error)) ThrowFailure(env, error);
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
