// The interface through which a thread runs the tickets that it has claimed.
#pragma once

#include <span>

#include "parallel_pool/core/engine/ticket_queue.h"

namespace parallel_pool {

// Runs claimed chunks; called from any thread.
class ChunkRunner {
 public:
  // `tickets` have at most kMaxChunk envs in all.
  virtual void Run(int home, std::span<const Ticket> tickets) noexcept = 0;

 protected:
  ~ChunkRunner() = default;
};

}  // namespace parallel_pool
