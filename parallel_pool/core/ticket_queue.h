// The work that was sent and that nobody has taken yet: a ring of tickets with one sender and any
// number of takers.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>

#include "parallel_pool/core/sync.h"

namespace parallel_pool {

// One env's next turn.
struct Ticket {
  int32_t env;
  uint32_t batch : 31;  // number of the batch that its row belongs to, modulo 2^31 (sync pools)
  uint32_t reset : 1;   // the user asked for a reset
};

template <class Sync>
class BasicTicketQueue {
 public:
  // Holds up to `capacity` tickets.
  explicit BasicTicketQueue(int64_t capacity)
      : mask_(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(capacity, 1))) - 1),
        ring_(std::make_unique<Word[]>(mask_ + 1)) {}

  // Sender: writes ticket `i` of the coming Publish.
  void Put(int64_t i, Ticket ticket) {
    ring_[(tail_.load(std::memory_order_relaxed) + i) & mask_].store(
        std::bit_cast<uint64_t>(ticket), std::memory_order_relaxed);
  }
  // Sender: hands over `count` tickets. Ordered before the sender's later look at who sleeps.
  void Publish(int64_t count) {
    tail_.store(tail_.load(std::memory_order_relaxed) + count, std::memory_order_seq_cst);
  }
  // Sender: the position of the next ticket, counted from the first one ever sent.
  uint64_t tail() const { return tail_.load(std::memory_order_relaxed); }

  // How many tickets wait. Ordered after the caller's own announcement that it will sleep.
  int64_t waiting() const {
    const uint64_t head = head_.load(std::memory_order_seq_cst);
    return static_cast<int64_t>(tail_.load(std::memory_order_seq_cst) - head);
  }

  // Any thread: takes the oldest tickets, as many as size(waiting) says, into `out`. Returns how
  // many; `position` is that of the first.
  template <class Size>
  int Claim(Ticket* out, uint64_t* position, const Size& size) {
    uint64_t head = head_.load(std::memory_order_acquire);
    for (;;) {
      const uint64_t tail = tail_.load(std::memory_order_acquire);
      if (head >= tail) return 0;
      const int count = size(static_cast<int64_t>(tail - head));
      // Read before the claim: once head_ has moved, the sender may write over these tickets. If
      // it has moved already, the exchange fails and what was read is dropped.
      for (int i = 0; i < count; ++i) {
        out[i] = std::bit_cast<Ticket>(ring_[(head + i) & mask_].load(std::memory_order_relaxed));
      }
      if (head_.compare_exchange_weak(head, head + count, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        *position = head;
        return count;
      }
    }
  }

 private:
  using Word = typename Sync::template Atomic<uint64_t>;

  const uint64_t mask_;
  const std::unique_ptr<Word[]> ring_;
  alignas(64) Word head_{0};  // written by takers
  alignas(64) Word tail_{0};  // written by the sender
};

using TicketQueue = BasicTicketQueue<RealSync>;

}  // namespace parallel_pool
