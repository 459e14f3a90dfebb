// The options of a pool.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parallel_pool/core/engine/pool_memory.h"
#include "parallel_pool/core/plugin.h"

namespace parallel_pool {

// How an env is reset whose episode has ended.
enum class Autoreset {
  kNextStep,  // its next step resets it, ignores the action and has reward 0
  kSameStep,  // it is reset at once; the row shows the next episode, `final` columns show the end.
              // Not for tasks whose state has arrays that are per player: the row would show the
              // players of two episodes under one list of env ids
  kDisabled,  // it must be reset before it is stepped again
};

// The options of one env, where the envs of a pool differ.
struct EnvSetup {
  std::shared_ptr<const Setup> setup;  // see EnvGroup::Create
  int max_episode_steps;
};

// A NextReset (plugin.h) as a pool keeps it.
struct PreparedReset {
  std::optional<uint64_t> seed = {};
  EnvSetup options = {};           // from then on; without a setup: it keeps its own
  std::string reset_options = {};  // each by WriteOption; empty: the defaults
};

// How a batch is changed before the user receives it (transforms.h).
struct TransformOptions {
  bool normalize_observation = false, normalize_reward = false;
  bool update_statistics = true;  // whether batches are counted
  double gamma = 0.99;            // of the returns by whose variance rewards are divided
  double clip_observation = 0, clip_reward = 0;  // to so much on both sides of 0; 0: not clipped

  bool any() const {
    return normalize_observation || normalize_reward || clip_observation > 0 || clip_reward > 0;
  }
};

struct PoolOptions {
  int num_envs = 1;
  int batch_size = 1;               // num_envs: sync; less: async
  int num_threads = 1;              // threads that run envs; a sync pool's receiver is one of them
  int max_episode_steps = 1;        // an episode is truncated after so many steps
  int thread_affinity_offset = -1;  // worker i runs on processor offset + i; -1: anywhere
  std::vector<uint64_t> seeds;      // one for each env
  std::vector<EnvSetup> envs = {};  // one for each env; empty: all have the pool's options
  Autoreset autoreset = Autoreset::kNextStep;
  DType reward_dtype = DType::kFloat32;  // or kFloat64
  bool record_episodes = false;          // adds the columns of EpisodeColumn
  TransformOptions transforms = {};
  bool check_actions = false;  // whether floats of an action must be within their bounds
  int action_repeat = 1;       // steps of an env with one action; fewer where its episode ends
  bool time_aware = false;     // the last element of "obs" is the elapsed part of the time limit
  std::shared_ptr<PageLocks> page_locks = nullptr;  // of batches; nullptr: they are not locked
};

}  // namespace parallel_pool
