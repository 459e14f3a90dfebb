// Writes down the calls of a pool, from which Replayer plays them again (replayer.h).
//
// A pool is deterministic: the actions, seeds, options and states that it was given are the whole
// run. An async pool's batches also depend on which envs were done first, so their ids are written.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "parallel_pool/core/engine/action_bits.h"
#include "parallel_pool/core/engine/batch.h"
#include "parallel_pool/core/engine/digest.h"
#include "parallel_pool/core/engine/pool_observer.h"
#include "parallel_pool/core/engine/pool_options.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

class Pool;

// The first byte of each call. The others are written and read by save.h.
enum class Call : uint8_t {
  kStep,         // envs, the players of each (where arrays are per player), actions
  kReset,        // envs
  kMaskedReset,  // envs, whether each is reset; the others are observed
  kReceived,     // async pools: the envs of a batch
  kOldSeed,      // env, seed; this and the next three are read, but not written any more: they came
                 // before a reset or a load of the env, in place of kPrepare and kLoad
  kOldResetOptions,  // env, values
  kOldRebuild,       // env, setup, time limit
  kOldLoad,          // env, state
  kStatistics,       // those of Transforms
  kKeyframe,         // env, setup, time limit, state
  kPrepare,          // env, PreparedBits, seed, setup, time limit, bytes of reset options
  kKeyframeEnd,      // statistics; every env has had its kKeyframe
  kLoad,             // env, setup, time limit, state
};

// Bits of Call::kPrepare: whether it has a seed, and whether the env was built at once.
enum PreparedBits : uint8_t { kHasSeed = 1, kBuildsNow = 2 };

// Each so many results have one digest.
inline constexpr int64_t kDigestEvery = 64;

class Recorder final : public PoolObserver {
 public:
  // Calls in the order in which they were made.
  struct Part {
    int64_t first = 0;  // number of its first result, which is a batch
    bool begins_keyframe = false;
    std::string calls = {};
    std::vector<std::pair<int64_t, uint64_t>> digests = {};  // with the number of the last result
  };
  // The options of an env that it got by a reset.
  struct NewSetup {
    int32_t env;
    std::shared_ptr<const Setup> setup;
  };
  struct Taken {
    std::vector<Part> parts;
    std::vector<NewSetup> setups;  // calls name them by their place among all that were taken
    int64_t results = 0;           // batches received since the start
    double keyframe_seconds = 0;   // what the last keyframe has cost
  };

  // Records from now on. Throws if the pool's state is part of the run, but cannot be saved.
  explicit Recorder(Pool& pool);

  void Send(std::span<const int32_t> envs, bool reset) noexcept override;
  void SendReset(std::span<const int32_t> envs, std::span<const uint8_t> mask) noexcept override;
  void Prepare(int32_t env, const PreparedReset& next, bool builds_now) noexcept override;
  void Load(int32_t env, const std::string& state) noexcept override;
  void LoadStatistics() noexcept override;
  void Accept(const Batch& batch) noexcept override;

  // Any thread: what was recorded since the last Take. Throws std::bad_alloc if there was no memory
  // for all of it.
  Taken Take();
  // Any thread: saves all envs, each as soon as it is idle.
  void RequestKeyframe();

 private:
  // Writer of save.h: the part that is being written.
  class Calls final : public Writer {
   public:
    void Write(const void* data, size_t bytes) override {
      part.calls.append(static_cast<const char*>(data), bytes);
    }
    Part part;
  };

  template <class Body>
  void Write(const Body& body) noexcept;
  void Begin(Call call);
  bool WriteEnvs(std::span<const int32_t> envs);  // returns whether they are all, in their order
  void WriteActions(size_t k, std::span<const int32_t> envs, bool is_all);
  void WriteFloats(const Column& array, const std::byte* rows, std::span<const int32_t> envs);
  void WriteStatistics();
  void WritePrepared(int32_t env, const PreparedReset& next, bool builds_now);
  void WriteState(Call call, int32_t env, const std::string& state);
  int32_t NumberOf(int32_t env, const std::shared_ptr<const Setup>& setup);
  void BeginKeyframe();
  void SaveIdle(std::span<const int32_t> envs);
  void Cut(bool begins_keyframe);

  Pool& pool_;
  std::mutex mutex_;  // of everything below
  Calls calls_;
  Taken done_;
  const std::vector<ActionBits> bits_;
  std::vector<std::byte> elements_;  // of one call
  // Setups of one env that have a number: the last that it had, and one that it may have next.
  struct KnownSetups {
    std::shared_ptr<const Setup> last, next;
    int32_t number_of_last = -1, number_of_next = -1;  // -1: the one that it had at the start
  };
  std::vector<KnownSetups> setups_;  // by env
  int32_t num_setups_ = 0;
  int64_t sent_ = 0, received_ = 0;
  RunDigest digest_;      // of the results since the last digest
  bool is_lost_ = false;  // there was no memory
  bool wants_keyframe_ = false;
  std::vector<uint8_t> is_saved_;  // by env, in the present keyframe
  int32_t unsaved_ = 0;            // 0: no keyframe is being written
  double keyframe_seconds_ = 0;
};

// How each array of the pool's actions is written.
std::vector<ActionBits> BitsOf(Pool& pool);

// The statistics of a pool's transforms, as bytes.
void WriteStatistics(Writer& writer, Pool& pool);
bool ReadStatistics(Reader& reader, Pool& pool);

}  // namespace parallel_pool
