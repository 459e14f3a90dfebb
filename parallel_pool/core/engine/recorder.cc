#include "parallel_pool/core/engine/recorder.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <variant>

#include "parallel_pool/core/engine/digest.h"
#include "parallel_pool/core/engine/option_bytes.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/save.h"

namespace parallel_pool {
namespace {

// Whether they are all envs of the pool in their order.
bool IsAll(std::span<const int32_t> envs, int num_envs) {
  if (envs.size() != static_cast<size_t>(num_envs)) return false;
  int32_t differs = 0;
  for (int32_t i = 0; i < num_envs; ++i) differs |= envs[i] ^ i;
  return differs == 0;
}

}  // namespace

std::vector<ActionBits> BitsOf(Pool& pool) {
  std::vector<ActionBits> bits;
  for (size_t k = 0; k < pool.actions().arrays().size(); ++k) {
    bits.emplace_back(pool.actions(), k, pool.options().num_envs);
  }
  return bits;
}

void WriteStatistics(Writer& writer, Pool& pool) {
  for (Transforms::Observation& array : pool.transforms().observations()) {
    std::visit([&](auto& m) { WriteAll(writer, std::tie(m.mean, m.var, m.count)); }, array.moments);
  }
  ReturnMoments& returns = pool.transforms().returns();
  WriteAll(writer, std::tie(returns.mean, returns.var, returns.count));
}

bool ReadStatistics(Reader& reader, Pool& pool) {
  for (Transforms::Observation& array : pool.transforms().observations()) {
    const bool good = std::visit(
        [&](auto& m) {
          const size_t size = m.mean.size();
          return ReadAll(reader, std::tie(m.mean, m.var, m.count)) && m.mean.size() == size &&
                 m.var.size() == size;
        },
        array.moments);
    if (!good) return false;
  }
  ReturnMoments& returns = pool.transforms().returns();
  return ReadAll(reader, std::tie(returns.mean, returns.var, returns.count));
}

Recorder::Recorder(Pool& pool)
    : pool_(pool), bits_(BitsOf(pool)), setup_of_(pool.options().num_envs, -1) {
  std::vector<int32_t> all(pool.options().num_envs);
  std::iota(all.begin(), all.end(), 0);
  pool.Claim(all, /*reset=*/true);  // throws if one is in flight
  pool.Unclaim(all);
  try {
    BeginKeyframe();
    for (const int32_t env : all) SaveIdle({&env, 1});
  } catch (const std::exception&) {
    const PoolStats stats = pool.stats();
    if (stats.steps + stats.resets > 0) {
      throw std::invalid_argument(pool.task() +
                                  ": its state cannot be saved, so record() must come before the "
                                  "first reset()");
    }
    calls_.part = {};
    unsaved_ = 0;
  }
}

void Recorder::Begin(Call call) {
  WriteAll(calls_, std::tie(call));
}

// The number of envs and their ids; -1 for all in their order.
void Recorder::WriteEnvs(std::span<const int32_t> envs) {
  int32_t count = IsAll(envs, pool_.options().num_envs) ? -1 : static_cast<int32_t>(envs.size());
  WriteAll(calls_, std::tie(count));
  if (count >= 0) calls_.Write(envs.data(), envs.size_bytes());
}

void Recorder::Send(std::span<const int32_t> envs, bool reset) {
  const std::lock_guard lock(mutex_);
  Begin(reset ? Call::kReset : Call::kStep);
  WriteEnvs(envs);
  ++sent_;
  if (reset) return;
  if (pool_.layout().most_players() > 0) {
    for (const int32_t env : envs) {
      int32_t players = pool_.players(env);
      WriteAll(calls_, std::tie(players));
    }
  }
  for (size_t k = 0; k < bits_.size(); ++k) WriteActions(k, envs);
}

void Recorder::WriteActions(size_t k, std::span<const int32_t> envs) {
  const Column& array = pool_.actions().arrays()[k];
  const std::byte* const rows = pool_.actions().rows()[k];
  const int64_t row_bytes = array.row_bytes();
  if (array.players == 0 && IsAll(envs, pool_.options().num_envs)) {
    return bits_[k].Pack(rows, array.row_size() * static_cast<int64_t>(envs.size()),
                         &calls_.part.calls);
  }
  elements_.clear();
  for (const int32_t env : envs) {
    const std::byte* const row = rows + env * row_bytes;
    const int64_t bytes =
        array.players == 0 ? row_bytes : row_bytes / array.players * pool_.players(env);
    elements_.insert(elements_.end(), row, row + bytes);
  }
  bits_[k].Pack(elements_.data(), static_cast<int64_t>(elements_.size()) / ItemBytes(array.dtype),
                &calls_.part.calls);
}

void Recorder::SendReset(std::span<const int32_t> envs, std::span<const uint8_t> mask) {
  const std::lock_guard lock(mutex_);
  Begin(Call::kMaskedReset);
  WriteEnvs(envs);
  calls_.Write(mask.data(), mask.size());
  ++sent_;
}

void Recorder::Seed(int32_t env, uint64_t seed) {
  const std::lock_guard lock(mutex_);
  Begin(Call::kSeed);
  WriteAll(calls_, std::tie(env, seed));
}

void Recorder::SetResetOptions(int32_t env, Span<OptionValue> values) {
  const std::lock_guard lock(mutex_);
  Begin(Call::kResetOptions);
  WriteAll(calls_, std::tie(env));
  for (const OptionValue& value : values) WriteOption(calls_, value);
}

void Recorder::Rebuild(int32_t env, const EnvSetup& options) {
  const std::lock_guard lock(mutex_);
  done_.setups.push_back({env, options.setup});
  setup_of_[env] = num_setups_++;
  int32_t limit = options.max_episode_steps;
  Begin(Call::kRebuild);
  WriteAll(calls_, std::tie(env, setup_of_[env], limit));
}

void Recorder::Load(int32_t env, const std::string& state) {
  const std::lock_guard lock(mutex_);
  Begin(Call::kLoad);
  std::string copy = state;
  WriteAll(calls_, std::tie(env, copy));
}

void Recorder::LoadStatistics() {
  const std::lock_guard lock(mutex_);
  Begin(Call::kStatistics);
  WriteStatistics();
}

void Recorder::WriteStatistics() {
  parallel_pool::WriteStatistics(calls_, pool_);
}

void Recorder::Accept(const Batch& batch) {
  const std::lock_guard lock(mutex_);
  const std::span<const int32_t> envs(
      batch.column<int32_t>(pool_.layout().engine_column(BatchLayout::kEnvId)), batch.rows());
  if (!pool_.sync()) {
    Begin(Call::kReceived);
    WriteEnvs(envs);
  }
  if (++received_ % kDigestEvery == 0) {
    calls_.part.digests.emplace_back(received_ - 1, DigestOf(pool_.layout(), batch));
  }
  if (wants_keyframe_ && unsaved_ == 0) BeginKeyframe();
  if (unsaved_ > 0) {
    try {
      SaveIdle(envs);
    } catch (const std::exception&) {
      unsaved_ = 0;  // an env that has failed: a replay goes on from an older keyframe
    }
  }
}

void Recorder::BeginKeyframe() {
  Cut(/*begins_keyframe=*/true);
  wants_keyframe_ = false;
  is_saved_.assign(pool_.options().num_envs, 0);
  unsaved_ = pool_.options().num_envs;
  keyframe_seconds_ = 0;
}

void Recorder::SaveIdle(std::span<const int32_t> envs) {
  const auto begin = std::chrono::steady_clock::now();
  for (int32_t env : envs) {
    if (is_saved_[env]) continue;
    std::string state = pool_.Save(env);
    int32_t limit = pool_.env_options(env).max_episode_steps;
    Begin(Call::kKeyframe);
    WriteAll(calls_, std::tie(env, setup_of_[env], limit, state));
    is_saved_[env] = 1;
    --unsaved_;
  }
  keyframe_seconds_ +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (unsaved_ > 0) return;
  Begin(Call::kKeyframeEnd);
  WriteStatistics();
  done_.keyframe_seconds = keyframe_seconds_;
}

// Begins a new part.
void Recorder::Cut(bool begins_keyframe) {
  if (!calls_.part.calls.empty() || !calls_.part.digests.empty()) {
    done_.parts.push_back(std::move(calls_.part));
  }
  calls_.part = {.first = pool_.sync() ? sent_ : received_, .begins_keyframe = begins_keyframe};
}

Recorder::Taken Recorder::Take() {
  const std::lock_guard lock(mutex_);
  Cut(/*begins_keyframe=*/false);
  done_.results = received_;
  return std::exchange(done_, {});
}

void Recorder::RequestKeyframe() {
  const std::lock_guard lock(mutex_);
  wants_keyframe_ = true;
}

}  // namespace parallel_pool
