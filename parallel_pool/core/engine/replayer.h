// Plays the calls of a Recorder in another pool of the same task, options and seeds.
//
// That pool is sync, whatever the recorded one was. A batch of an async pool is played when the
// recorded pool has received it: as one call for its envs, in the order of its rows. So the results
// are equal, and so are the statistics of transforms, on any number of threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parallel_pool/core/engine/option_bytes.h"
#include "parallel_pool/core/engine/recorder.h"

namespace parallel_pool {

class Replayer {
 public:
  // `pool` is sync and has been sent nothing. `async`: whether the recorded pool was async. `envs`:
  // the envs to play; empty: all. `of_format_1`: the calls are of a file of that format, where
  // actions that take doubles are floats without a type before them.
  Replayer(Pool& pool, bool async, const std::vector<int32_t>& envs, bool of_format_1);

  // The calls of the next part. If `first` is given, it is not the one after the last part, but one
  // that begins a keyframe, and `first` is the number of its first result: each env is played from
  // its keyframe on.
  void Feed(std::string calls, std::optional<int64_t> first);
  // Adds a setup, with the place that calls name.
  void AddSetup(std::shared_ptr<const Setup> setup) { setups_.push_back(std::move(setup)); }

  // Plays calls until the pool was sent something; the next batch is its result. False: the part is
  // over. Throws std::invalid_argument if the bytes are no calls of such a pool.
  bool Next();
  // The number of the result that Next has sent, or of the next one if there was none yet.
  int64_t number() const { return number_; }
  // The envs of that result, and whether each was asked for a reset.
  const std::vector<int32_t>& envs() const { return envs_; }
  const std::vector<uint8_t>& resets() const { return resets_; }
  // Whether all envs of the recorded result are played.
  bool is_whole() const { return is_whole_; }
  // The number of the first result for which all envs to play had come to their keyframe before.
  int64_t live_from() const { return live_from_; }

 private:
  void Play(Call call);
  void PlayStep();
  void PlayReset(bool has_mask);
  void PlayReceived();
  void PlayEnv(Call call);
  void PlayOld(Call call, int32_t env);
  void PrepareOld();
  std::vector<int32_t> ReadEnvs();
  EnvSetup ReadSetup(int32_t env);
  template <class... T>
  void Read(T&... values);
  void CheckEnv(int32_t env) const;
  [[noreturn]] void Refuse() const;
  // Sends what was played of a result, unless no env of it is played.
  void Send(bool reset);

  Pool& pool_;
  const bool async_, of_format_1_;
  const std::vector<ActionBits> bits_;
  std::vector<uint8_t> is_played_;  // by env: whether the user wants it
  std::vector<uint8_t> is_live_;    // by env: whether it is where the recorded env was
  int32_t not_live_ = 0;            // of those that are played
  int64_t live_from_ = 0;
  std::vector<EnvSetup> first_setups_;  // of each env, before any call
  std::vector<uint8_t> will_reset_;     // async: by env, whether its next turn is a reset
  std::vector<std::shared_ptr<const Setup>> setups_;
  std::map<int32_t, PreparedReset> old_;  // by env: calls of older files for its reset or load
  std::string calls_;
  std::string_view left_;  // of calls_
  int64_t number_ = -1;    // of the last result
  bool has_sent_ = false;
  std::vector<int32_t> envs_;
  std::vector<uint8_t> resets_;
  bool is_whole_ = true;
};

}  // namespace parallel_pool
