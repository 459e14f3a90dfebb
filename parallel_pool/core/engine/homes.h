// The tickets of a pool, kept near the threads that run them: each thread has a queue of its own,
// its home, and envs 0 .. n - 1 are shared out among the homes in order. So a thread mostly meets
// the envs that it ran before, whose memory is in its caches and on its NUMA node. A thread whose
// own queue is empty takes from the others.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "parallel_pool/core/engine/ticket_queue.h"

namespace parallel_pool {

// The first env that lives in `home`; the number of envs for home `threads`, which is none.
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
      // Send may lay together as many homes as the number's lowest bit says.
      const int end = home == 0 ? threads : std::min(threads, home + (home & -home));
      queues_.push_back(std::make_unique<Queue>(first_[end] - first_[home]));
    }
  }

  // Sender: puts tickets of `limit` envs at the most for `envs`, whose rows are 0, 1, ... of the
  // batch. They go to the homes of about `threads` threads.
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

  // Takes a chunk of the first queue, from `home` on, that has any; see BasicTicketQueue::Claim.
  template <class Limit>
  int Claim(int home, Ticket* out, const Limit& limit) {
    const auto all = static_cast<int>(queues_.size());
    for (int i = 0, k = home; i < all; ++i, k = k + 1 == all ? 0 : k + 1) {
      if (const int count = queues_[k]->Claim(out, limit)) return count;
    }
    return 0;
  }

  // Tickets in all queues.
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

  std::vector<int32_t> first_;  // env of each home, then how many envs there are
  std::vector<std::unique_ptr<Queue>> queues_;
};

using Homes = BasicHomes<RealSync>;

}  // namespace parallel_pool
