// The tasks of mpe2 1.1.1, and their versions there.
#include "parallel_pool/core/env.h"
#include "parallel_pool/envs/mpe/game.h"
#include "parallel_pool/envs/mpe/simple.h"
#include "parallel_pool/envs/mpe/simple_adversary.h"
#include "parallel_pool/envs/mpe/simple_crypto.h"
#include "parallel_pool/envs/mpe/simple_push.h"
#include "parallel_pool/envs/mpe/simple_reference.h"
#include "parallel_pool/envs/mpe/simple_speaker_listener.h"
#include "parallel_pool/envs/mpe/simple_spread.h"
#include "parallel_pool/envs/mpe/simple_tag.h"
#include "parallel_pool/envs/mpe/simple_world_comm.h"

namespace parallel_pool::mpe {

PARALLEL_POOL_FAMILY(registry) {
  const TaskDefaults kLimit = {.max_episode_steps = 25};  // max_cycles
  registry.Add<Game<Simple>>("Simple-v3", kLimit);
  registry.Add<Game<SimpleAdversary>>("SimpleAdversary-v3", kLimit);
  registry.Add<Game<SimpleCrypto>>("SimpleCrypto-v3", kLimit);
  registry.Add<Game<SimplePush>>("SimplePush-v3", kLimit);
  registry.Add<Game<SimpleReference>>("SimpleReference-v3", kLimit);
  registry.Add<Game<SimpleSpeakerListener>>("SimpleSpeakerListener-v4", kLimit);
  registry.Add<Game<SimpleSpread>>("SimpleSpread-v3", kLimit);
  registry.Add<Game<SimpleTag>>("SimpleTag-v3", kLimit);
  registry.Add<Game<SimpleWorldComm>>("SimpleWorldComm-v3", kLimit);
}

}  // namespace parallel_pool::mpe
