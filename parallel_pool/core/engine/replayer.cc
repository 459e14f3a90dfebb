#include "parallel_pool/core/engine/replayer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "parallel_pool/core/byte_string.h"
#include "parallel_pool/core/engine/option_bytes.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/save.h"

namespace parallel_pool {

Replayer::Replayer(Pool& pool, bool async, const std::vector<int32_t>& envs, bool of_format_1)
    : pool_(pool),
      async_(async),
      of_format_1_(of_format_1),
      bits_(BitsOf(pool)),
      is_played_(pool.options().num_envs, envs.empty()),
      is_live_(pool.options().num_envs, 1),
      will_reset_(pool.options().num_envs) {
  for (const int32_t env : envs) is_played_.at(env) = 1;
  for (int32_t env = 0; env < pool.options().num_envs; ++env) {
    first_setups_.push_back(pool.env_options(env));
  }
}

void Replayer::Feed(std::string calls, std::optional<int64_t> first) {
  calls_ = std::move(calls);
  left_ = calls_;
  if (!first) return;
  number_ = *first - 1;
  std::ranges::fill(is_live_, 0);
  std::ranges::fill(will_reset_, 0);
  not_live_ = static_cast<int32_t>(std::ranges::count(is_played_, 1));
  live_from_ = std::numeric_limits<int64_t>::max();
}

bool Replayer::Next() {
  has_sent_ = false;
  while (!has_sent_ && !left_.empty()) {
    Call call{};
    Read(call);
    Play(call);
  }
  return has_sent_;
}

void Replayer::Play(Call call) {
  switch (call) {
    case Call::kStep:
      return PlayStep();
    case Call::kReset:
    case Call::kMaskedReset:
      return PlayReset(call == Call::kMaskedReset);
    case Call::kReceived:
      return PlayReceived();
    case Call::kStatistics:
    case Call::kKeyframeEnd: {
      ByteReader reader(left_);
      if (!ReadStatistics(reader, pool_)) Refuse();
      left_.remove_prefix(left_.size() - reader.left());
      return;
    }
    case Call::kOldSeed:
    case Call::kOldResetOptions:
    case Call::kOldRebuild:
    case Call::kOldLoad:
    case Call::kLoad:
    case Call::kPrepare:
    case Call::kKeyframe:
      return PlayEnv(call);
  }
  Refuse();
}

void Replayer::PlayStep() {
  const std::vector<int32_t> envs = ReadEnvs();
  std::vector<int32_t> players(pool_.layout().most_players() > 0 ? envs.size() : 0);
  for (int32_t& count : players) {
    Read(count);
    if (count < 0 || count > pool_.layout().most_players()) Refuse();
  }
  envs_.clear();
  for (const int32_t env : envs) {
    if (is_live_[env] && is_played_[env]) envs_.push_back(env);
  }
  is_whole_ = envs_.size() == envs.size();
  ActionStore& actions = pool_.actions();
  std::vector<std::byte> elements, own;
  std::vector<int32_t> own_players;
  for (size_t k = 0; k < bits_.size(); ++k) {
    const Column& array = actions.arrays()[k];
    uint8_t is_double = 0;
    if (array.takes_doubles && !of_format_1_) Read(is_double);
    const DType dtype = is_double != 0 ? DType::kFloat64 : array.dtype;
    const int64_t size = array.shape_size(), item = ItemBytes(dtype);
    const bool per_player = array.players > 0;
    const auto rows = per_player ? std::reduce(players.begin(), players.end(), int64_t{0})
                                 : static_cast<int64_t>(envs.size());
    const bool is_packed = !array.takes_doubles;
    const int64_t bytes = is_packed ? bits_[k].BytesOf(rows * size) : rows * size * item;
    if (bytes > static_cast<int64_t>(left_.size())) Refuse();
    elements.resize(rows * size * item);
    if (is_packed) {
      bits_[k].Unpack(left_.substr(0, bytes), rows * size, elements.data());
    } else if (bytes > 0) {
      std::memcpy(elements.data(), left_.data(), bytes);
    }
    left_.remove_prefix(bytes);
    own.clear();
    own_players.clear();
    int64_t at = 0;
    for (size_t i = 0; i < envs.size(); ++i) {
      const int64_t end = at + (per_player ? players[i] : 1) * size * item;
      if (is_live_[envs[i]] && is_played_[envs[i]]) {
        own.insert(own.end(), elements.begin() + at, elements.begin() + end);
        if (!players.empty()) own_players.push_back(players[i]);
      }
      at = end;
    }
    actions.Store(k, {own.data(), dtype}, envs_, own_players);
  }
  if (!async_) {
    resets_.assign(envs_.size(), 0);
    Send(false);
  }
}

void Replayer::PlayReset(bool has_mask) {
  PrepareOld();
  const std::vector<int32_t> envs = ReadEnvs();
  std::vector<uint8_t> mask(envs.size(), 1);
  for (uint8_t& is_reset : mask) {
    if (has_mask) Read(is_reset);
  }
  envs_.clear();
  resets_.clear();
  for (size_t i = 0; i < envs.size(); ++i) {
    if (!is_live_[envs[i]] || !is_played_[envs[i]]) continue;
    envs_.push_back(envs[i]);
    resets_.push_back(mask[i]);
    will_reset_[envs[i]] = mask[i];
  }
  is_whole_ = envs_.size() == envs.size();
  if (!async_) Send(true);
}

void Replayer::PlayReceived() {
  const std::vector<int32_t> envs = ReadEnvs();
  envs_.clear();
  resets_.clear();
  for (const int32_t env : envs) {
    if (!is_live_[env] || !is_played_[env]) continue;
    envs_.push_back(env);
    resets_.push_back(std::exchange(will_reset_[env], 0));
  }
  is_whole_ = envs_.size() == envs.size();
  Send(false);
}

void Replayer::Send(bool reset) {
  ++number_;
  if (envs_.empty()) return;
  pool_.Claim(envs_, /*reset=*/true);
  if (async_) {
    pool_.SendTurns(envs_, resets_);
  } else if (reset) {
    pool_.SendReset(envs_, resets_);
  } else {
    pool_.Send(envs_, false);
  }
  has_sent_ = true;
}

// Calls of one env.
void Replayer::PlayEnv(Call call) {
  int32_t env = 0;
  Read(env);
  CheckEnv(env);
  if (call < Call::kStatistics) return PlayOld(call, env);
  PreparedReset next;
  std::string state;
  uint8_t bits = 0;
  if (call == Call::kPrepare) Read(bits, next.seed.emplace());
  if ((bits & kHasSeed) == 0) next.seed.reset();
  next.options = ReadSetup(env);
  Read(call == Call::kPrepare ? next.reset_options : state);
  if (!is_played_[env] || is_live_[env] == (call == Call::kKeyframe)) return;
  if (call == Call::kPrepare) {
    return bits & kBuildsNow ? pool_.PrepareNow(env, std::move(next))
                             : pool_.Prepare(env, std::move(next));
  }
  pool_.Load(env, state, next.options);
  if (call == Call::kKeyframe) {
    is_live_[env] = 1;
    if (--not_live_ == 0) live_from_ = number_ + 1;
  }
}

// Gathers what older files have in calls of its own before a reset or a load.
void Replayer::PlayOld(Call call, int32_t env) {
  PreparedReset& next = old_[env];
  if (!next.options.setup) next.options = pool_.env_options(env);
  std::string state;
  if (call == Call::kOldSeed) Read(next.seed.emplace());
  if (call == Call::kOldRebuild) next.options = ReadSetup(env);
  if (call == Call::kOldResetOptions) {
    ByteReader reader(left_);
    ReadOptions values;
    for (const OptionSpec& option : pool_.reset_options()) {
      if (!values.Read(reader, option)) Refuse();
    }
    next.reset_options = left_.substr(0, left_.size() - reader.left());
    left_.remove_prefix(next.reset_options.size());
  }
  if (call != Call::kOldLoad) return;
  Read(state);
  if (is_played_[env] && is_live_[env]) pool_.Load(env, state, next.options);
  old_.erase(env);
}

void Replayer::PrepareOld() {
  for (auto& [env, next] : std::exchange(old_, {})) {
    if (is_played_[env] && is_live_[env]) pool_.Prepare(env, std::move(next));
  }
}

// A setup's number and a time limit.
EnvSetup Replayer::ReadSetup(int32_t env) {
  int32_t setup = 0, limit = 0;
  Read(setup, limit);
  if (setup < -1 || setup >= static_cast<int32_t>(setups_.size())) Refuse();
  return {setup < 0 ? first_setups_[env].setup : setups_[setup], limit};
}

std::vector<int32_t> Replayer::ReadEnvs() {
  int32_t count = 0;
  Read(count);
  const int32_t num_envs = pool_.options().num_envs;
  if (count < -1 || count > num_envs) Refuse();
  std::vector<int32_t> envs(count < 0 ? num_envs : count);
  if (count < 0) {
    std::iota(envs.begin(), envs.end(), 0);
    return envs;
  }
  for (int32_t& env : envs) {
    Read(env);
    CheckEnv(env);
  }
  return envs;
}

template <class... T>
void Replayer::Read(T&... values) {
  ByteReader reader(left_);
  if (!ReadAll(reader, std::tie(values...))) Refuse();
  left_.remove_prefix(left_.size() - reader.left());
}

void Replayer::CheckEnv(int32_t env) const {
  if (env < 0 || env >= pool_.options().num_envs) Refuse();
}

void Replayer::Refuse() const {
  throw std::invalid_argument(pool_.task() + ": these bytes are no calls of such a pool");
}

}  // namespace parallel_pool
