// A ring of tickets that no thread has claimed yet: one sender, any number of takers.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>

#include "parallel_pool/core/engine/sync.h"

namespace parallel_pool {

// The next turn of envs env, env + 1, ..., env + count - 1.
struct Ticket {
  int32_t env;
  int32_t count;
  int32_t row;          // row of `env` in the batch (sync pools)
  uint32_t batch : 31;  // number of the batch, modulo 2^31 (sync pools)
  uint32_t reset : 1;   // the user asked for a reset
};

template <class Sync>
class BasicTicketQueue {
 public:
  // Has room for at least `capacity` tickets.
  explicit BasicTicketQueue(int64_t capacity)
      : mask_(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(capacity, 1))) - 1),
        ring_(std::make_unique<Slot[]>(mask_ + 1)) {}

  // Sender: writes a ticket, which the next Publish makes visible.
  void Put(Ticket ticket) { ring_[next_++ & mask_].Store(ticket); }
  // Sender: makes the tickets of Put visible. Sequentially consistent: ordered before the sender's
  // next read of the number of sleepers.
  void Publish() {
    if (next_ != tail_.load(std::memory_order_relaxed)) {
      tail_.store(next_, std::memory_order_seq_cst);
    }
  }

  // The number of waiting tickets. Sequentially consistent: ordered after the caller's own
  // announcement that it will sleep.
  int64_t waiting() const {
    const uint64_t head = head_.load(std::memory_order_seq_cst);
    return static_cast<int64_t>(tail_.load(std::memory_order_seq_cst) - head);
  }

  // Any thread: claims the oldest tickets with at most limit(number of waiting tickets, oldest
  // ticket) envs in all; none if that is 0, else at least one if any waits. Writes them to `out`,
  // which has room for a ticket per env, and returns their number.
  template <class Limit>
  int Claim(Ticket* out, const Limit& limit) {
    uint64_t head = head_.load(std::memory_order_acquire);
    for (;;) {
      const uint64_t tail = tail_.load(std::memory_order_acquire);
      if (head >= tail) return 0;
      // Read before the claim: once head_ has moved, the sender may overwrite these tickets. If it
      // has moved already, the exchange fails and the copies are dropped.
      out[0] = ring_[head & mask_].Load();
      const auto waiting = static_cast<int64_t>(tail - head);
      const int64_t most = limit(waiting, out[0]);  // a ticket has at least one env
      if (most == 0) return 0;
      int64_t envs = out[0].count;
      int n = 1;
      for (; n < waiting && n < most && envs < most; ++n) {
        out[n] = ring_[(head + n) & mask_].Load();
        envs += out[n].count;
        if (envs > most) break;
      }
      if (head_.compare_exchange_weak(head, head + n, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        return n;
      }
    }
  }

 private:
  template <class T>
  using Atomic = typename Sync::template Atomic<T>;

  struct Slot {
    void Store(Ticket t) {
      const auto words = std::bit_cast<std::array<uint64_t, 2>>(t);
      first.store(words[0], std::memory_order_relaxed);
      second.store(words[1], std::memory_order_relaxed);
    }
    Ticket Load() const {
      return std::bit_cast<Ticket>(std::array{first.load(std::memory_order_relaxed),
                                              second.load(std::memory_order_relaxed)});
    }
    Atomic<uint64_t> first{0}, second{0};
  };

  const uint64_t mask_;
  const std::unique_ptr<Slot[]> ring_;
  uint64_t next_ = 0;                     // the sender's: position after the last Put
  alignas(64) Atomic<uint64_t> head_{0};  // written by takers
  alignas(64) Atomic<uint64_t> tail_{0};  // written by the sender
};

using TicketQueue = BasicTicketQueue<RealSync>;

}  // namespace parallel_pool
