#include "parallel_pool/core/engine/recorder.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <variant>

#include "parallel_pool/core/engine/bits.h"
#include "parallel_pool/core/engine/digest.h"
#include "parallel_pool/core/engine/option_bytes.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/save.h"

namespace parallel_pool {
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
    : pool_(pool), bits_(BitsOf(pool)), setups_(pool.options().num_envs) {
  for (int32_t env = 0; env < pool.options().num_envs; ++env) {
    setups_[env].last = pool.env_options(env).setup;
  }
  std::vector<int32_t> all(pool.options().num_envs);
  std::iota(all.begin(), all.end(), 0);
  pool.Claim(all, /*reset=*/true);  // throws if one is in flight
  pool.Unclaim(all);
  // A keyframe costs envs in Python too much.
  if (pool.is_new() && (pool.is_hosted() || !pool.can_save())) return;
  if (!pool.can_save()) {
    throw std::invalid_argument(pool.task() +
                                ": its state cannot be saved, so record() must come before the "
                                "first reset()");
  }
  BeginKeyframe();
  for (const int32_t env : all) SaveIdle({&env, 1});
}

// The calls of a pool must not fail because there is no memory to write them down.
template <class Body>
void Recorder::Write(const Body& body) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_lost_) return;
  try {
    body();
  } catch (...) {
    is_lost_ = true;
    calls_.part = {};
    done_ = {};
  }
}

void Recorder::Begin(Call call) {
  WriteAll(calls_, std::tie(call));
}

// The number of envs and their ids; -1 for all in their order.
bool Recorder::WriteEnvs(std::span<const int32_t> envs) {
  const bool is_all =
      envs.size() == static_cast<size_t>(pool_.options().num_envs) && AreCounted(envs);
  int32_t count = is_all ? -1 : static_cast<int32_t>(envs.size());
  WriteAll(calls_, std::tie(count));
  if (!is_all) calls_.Write(envs.data(), envs.size_bytes());
  return is_all;
}

void Recorder::Send(std::span<const int32_t> envs, bool reset) noexcept {
  Write([&] {
    Begin(reset ? Call::kReset : Call::kStep);
    const bool is_all = WriteEnvs(envs);
    ++sent_;
    if (reset) return;
    if (pool_.layout().most_players() > 0) {
      for (const int32_t env : envs) {
        int32_t players = pool_.players(env);
        WriteAll(calls_, std::tie(players));
      }
    }
    for (size_t k = 0; k < bits_.size(); ++k) WriteActions(k, envs, is_all);
  });
}

void Recorder::WriteActions(size_t k, std::span<const int32_t> envs, bool is_all) {
  const Column& array = pool_.actions().arrays()[k];
  const std::byte* const rows = pool_.actions().rows()[k];
  const int64_t row_bytes = array.row_bytes();
  if (array.takes_doubles) return WriteFloats(array, rows, envs);
  if (array.players == 0 && is_all) {
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

// The rows of one call have one type, which stands before them: 1 for doubles, else 0.
void Recorder::WriteFloats(const Column& array, const std::byte* rows,
                           std::span<const int32_t> envs) {
  uint8_t is_double = !envs.empty() && array.has_doubles(rows + envs[0] * array.row_bytes());
  WriteAll(calls_, std::tie(is_double));
  const int64_t bytes = array.shape_size() * ItemBytes(is_double ? DType::kFloat64 : array.dtype);
  for (const int32_t env : envs) {
    const int64_t count = array.players == 0 ? 1 : pool_.players(env);
    calls_.Write(rows + env * array.row_bytes(), count * bytes);
  }
}

void Recorder::SendReset(std::span<const int32_t> envs, std::span<const uint8_t> mask) noexcept {
  Write([&] {
    Begin(Call::kMaskedReset);
    WriteEnvs(envs);
    calls_.Write(mask.data(), mask.size());
    ++sent_;
  });
}

void Recorder::Prepare(int32_t env, const PreparedReset& next, bool builds_now) noexcept {
  Write([&] { WritePrepared(env, next, builds_now); });
}

void Recorder::WritePrepared(int32_t env, const PreparedReset& next, bool builds_now) {
  auto bits = static_cast<uint8_t>((next.seed ? kHasSeed : 0) | (builds_now ? kBuildsNow : 0));
  uint64_t seed = next.seed.value_or(0);
  int32_t setup = NumberOf(env, next.options.setup), limit = next.options.max_episode_steps;
  std::string reset_options = next.reset_options;
  Begin(Call::kPrepare);
  WriteAll(calls_, std::tie(env, bits, seed, setup, limit, reset_options));
}

// The number of a setup of the env, which is taken if it has none.
int32_t Recorder::NumberOf(int32_t env, const std::shared_ptr<const Setup>& setup) {
  KnownSetups& known = setups_[env];
  if (setup == known.last) return known.number_of_last;
  if (setup != known.next) {
    // The env has come to the one that was next, or will not: a later one takes its place.
    if (pool_.env_options(env).setup == known.next) {
      known.last = std::move(known.next);
      known.number_of_last = known.number_of_next;
    }
    done_.setups.push_back({env, setup});
    known.next = setup;
    known.number_of_next = num_setups_++;
  }
  return known.number_of_next;
}

void Recorder::Load(int32_t env, const std::string& state) noexcept {
  Write([&] { WriteState(Call::kLoad, env, state); });
}

void Recorder::WriteState(Call call, int32_t env, const std::string& state) {
  const EnvSetup options = pool_.env_options(env);
  int32_t setup = NumberOf(env, options.setup), limit = options.max_episode_steps;
  std::string copy = state;
  Begin(call);
  WriteAll(calls_, std::tie(env, setup, limit, copy));
}

void Recorder::LoadStatistics() noexcept {
  Write([&] {
    Begin(Call::kStatistics);
    WriteStatistics();
  });
}

void Recorder::WriteStatistics() {
  parallel_pool::WriteStatistics(calls_, pool_);
}

void Recorder::Accept(const Batch& batch) noexcept {
  Write([&] {
    const std::span<const int32_t> envs(
        batch.column<int32_t>(pool_.layout().engine_column(BatchLayout::kEnvId)), batch.rows());
    if (!pool_.sync()) {
      Begin(Call::kReceived);
      WriteEnvs(envs);
    }
    digest_.Add(DigestOf(pool_.layout(), batch));
    if (++received_ % kDigestEvery == 0) {
      calls_.part.digests.emplace_back(received_ - 1, digest_.Take());
    }
    if (wants_keyframe_ && unsaved_ == 0) BeginKeyframe();
    if (unsaved_ > 0) {
      try {
        SaveIdle(envs);
      } catch (const std::exception&) {
        unsaved_ = 0;  // an env that has failed: a replay goes on from an older keyframe
      }
    }
  });
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
    if (pool_.is_lost(env)) throw std::runtime_error("the env is lost");
    WriteState(Call::kKeyframe, env, pool_.Save(env));
    if (pool_.prepared(env) != nullptr) WritePrepared(env, *pool_.prepared(env), false);
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
  const size_t size = calls_.part.calls.size();
  if (size > 0 || !calls_.part.digests.empty()) done_.parts.push_back(std::move(calls_.part));
  calls_.part = {.first = pool_.sync() ? sent_ : received_, .begins_keyframe = begins_keyframe};
  calls_.part.calls.reserve(size + size / 4);  // the next part will be as long
}

Recorder::Taken Recorder::Take() {
  const std::lock_guard lock(mutex_);
  if (is_lost_) throw std::bad_alloc();
  Cut(/*begins_keyframe=*/false);
  done_.results = received_;
  return std::exchange(done_, {});
}

void Recorder::RequestKeyframe() {
  const std::lock_guard lock(mutex_);
  wants_keyframe_ = true;
}

}  // namespace parallel_pool
