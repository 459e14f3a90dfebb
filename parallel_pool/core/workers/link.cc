#include "parallel_pool/core/workers/link.h"

#include "parallel_pool/core/platform/wait.h"

namespace parallel_pool {

void SharedSync::Wait(const std::atomic<uint32_t>& word, uint32_t seen,
                      std::chrono::nanoseconds limit) {
  platform::WaitShared(word, seen, limit);
}

void SharedSync::Wake(std::atomic<uint32_t>& word) {
  word.fetch_add(1, std::memory_order_seq_cst);
  platform::WakeShared(word);
}

uint64_t DoneByAll(const SharedHeader& link, const WorkerQueue* lanes) {
  uint64_t done = 0;
  for (int k = 0; k < link.num_workers; ++k) done += lanes[k].done.load(std::memory_order_seq_cst);
  return done;
}

uint64_t TakeRow(SharedHeader& link, std::atomic<uint64_t>* owners, uint32_t worker) {
  uint64_t row = link.next_row.load(std::memory_order_relaxed);
  for (;; ++row) {
    const uint64_t round = row / link.num_owners;
    uint64_t free = OwnerOf(round, 0);
    if (owners[row % link.num_owners].compare_exchange_strong(free, OwnerOf(round, worker + 1),
                                                              std::memory_order_acq_rel)) {
      break;
    }
  }
  uint64_t hint = link.next_row.load(std::memory_order_relaxed);
  while (hint <= row && !link.next_row.compare_exchange_weak(hint, row + 1)) {}
  return row;
}

}  // namespace parallel_pool
