// The tickets of a pool, near the threads that run them. Each thread has a queue of its own, its
// home, and envs 0 .. n - 1 are distributed over the homes in order. So a thread mostly runs the
// envs that it ran before: their memory is in its caches and on its NUMA node. A thread with an
// empty queue takes from the others (work stealing).
//
// Why not one queue for all threads: envs changed threads at nearly every step and brought two
// cache lines each along. With homes, two threads step 1,024 CartPoles 1.4 times as fast, 64 envs
// 1.7 times. There is also no word that all threads write at each claim.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "parallel_pool/core/engine/ticket_queue.h"

namespace parallel_pool {

// The first env of `home`. For home `threads`, which does not exist, the number of envs.
inline int32_t FirstEnv(int home, int32_t num_envs, int threads) {
  return static_cast<int32_t>(int64_t{home} * num_envs / threads);
}

template <class Sync>
class BasicHomes {
 public:
  BasicHomes(int32_t num_envs, int threads) {
    for (int home = 0; home <= threads; ++home) {
      first_.push_back(FirstEnv(home, num_envs, threads));
    }
    for (int home = 0; home < threads; ++home) {
      // With little work, Send puts the tickets of `together` (a power of two) neighboring homes
      // into the first one's ring, so ring k needs room for k & -k homes.
      const int end = home == 0 ? threads : std::min(threads, home + (home & -home));
      queues_.push_back(std::make_unique<Queue>(first_[end] - first_[home]));
    }
  }

  // Sender: puts tickets of at most `limit` envs for `envs`, whose rows are 0, 1, ... of the batch.
  // They go to the homes of about `threads` threads.
  void Send(std::span<const int32_t> envs, uint32_t batch, bool reset, int threads, int limit) {
    const int all = static_cast<int>(queues_.size());
    const int together =
        static_cast<int>(std::bit_ceil(static_cast<uint32_t>((all + threads - 1) / threads)));
    const auto end = static_cast<int32_t>(envs.size());
    int home = 0;
    for (int32_t row = 0; row < end;) {
      const int32_t env = envs[row];
      if (env < first_[home] || env >= first_[std::min(all, home + together)]) {
        home = HomeOf(env) & -together;
      }
      const int32_t most =
          std::min({limit, end - row, first_[std::min(all, home + together)] - env});
      int32_t count = 1;
      while (count < most && envs[row + count] == env + count) ++count;
      queues_[home]->Put({.env = env, .count = count, .row = row, .batch = batch, .reset = reset});
      row += count;
    }
    for (home = 0; home < all; home += together) queues_[home]->Publish();
  }

  // Claims a chunk from the first queue, from `home` on, that gives tickets; returns their number.
  // See BasicTicketQueue::Claim.
  template <class Limit>
  int Claim(int home, Ticket* out, const Limit& limit) {
    const auto all = static_cast<int>(queues_.size());
    for (int i = 0, k = home; i < all; ++i, k = k + 1 == all ? 0 : k + 1) {
      if (const int count = queues_[k]->Claim(out, limit)) return count;
    }
    return 0;
  }

  // The number of tickets in all queues.
  int64_t waiting() const {
    int64_t sum = 0;
    for (const auto& queue : queues_) sum += queue->waiting();
    return sum;
  }
  bool any() const {
    return std::any_of(queues_.begin(), queues_.end(),
                       [](const auto& queue) { return queue->waiting() > 0; });
  }

 private:
  using Queue = BasicTicketQueue<Sync>;

  int HomeOf(int32_t env) const {
    return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), env) - first_.begin()) -
           1;
  }

  std::vector<int32_t> first_;  // FirstEnv of each home, then the number of envs
  std::vector<std::unique_ptr<Queue>> queues_;
};

using Homes = BasicHomes<RealSync>;

}  // namespace parallel_pool
