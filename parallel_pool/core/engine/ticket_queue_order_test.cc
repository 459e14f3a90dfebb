// Many orders of a sender and its takers (testing/interleave.h).
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/engine/ticket_queue.h"
#include "parallel_pool/core/testing/interleave.h"

namespace parallel_pool {
namespace {

using testing::Check;
using testing::Explore;
using testing::Plan;
using testing::SimSync;
template <class T>
using Atomic = SimSync::Atomic<T>;
using SimQueue = BasicTicketQueue<SimSync>;

// Injected bugs.

// Claims by a load and a store, not by one atomic operation.
struct TornSync : SimSync {
  template <class T>
  struct Atomic : SimSync::Atomic<T> {
    using SimSync::Atomic<T>::Atomic;
    bool compare_exchange_weak(T& expected, T value, std::memory_order, std::memory_order) {
      const T now = this->load();
      if (now == expected) this->store(value);
      return std::exchange(expected, now) == now;
    }
  };
};

// Reads its tickets after the claim, when the sender may already overwrite them.
class ReadsAfterTheClaim {
 public:
  explicit ReadsAfterTheClaim(int capacity) : ring_(capacity) {}
  void Put(Ticket ticket) { ring_[next_++ % ring_.size()].store(std::bit_cast<Words>(ticket)); }
  void Publish() { tail_.store(next_); }
  template <class Limit>
  int Claim(Ticket* out, const Limit& limit) {
    uint64_t head = head_.load();
    for (;;) {
      const uint64_t waiting = tail_.load() - head;
      if (waiting == 0) return 0;
      const int count = static_cast<int>(std::min<int64_t>(waiting, limit(waiting, Ticket())));
      if (!head_.compare_exchange_weak(head, head + count)) continue;
      for (int i = 0; i < count; ++i) {
        out[i] = std::bit_cast<Ticket>(ring_[(head + i) % ring_.size()].load());
      }
      return count;
    }
  }

 protected:
  using Words = std::array<uint64_t, 2>;
  std::vector<Atomic<Words>> ring_;
  uint64_t next_ = 0;
  Atomic<uint64_t> head_{0}, tail_{0};
};

// Publishes before the ticket is in the ring.
class PublishesTooEarly : public ReadsAfterTheClaim {
 public:
  using ReadsAfterTheClaim::ReadsAfterTheClaim;
  void Put(Ticket ticket) {
    tail_.store(next_ + 1);
    ReadsAfterTheClaim::Put(ticket);
  }
};

constexpr int kEnvs = 2, kTickets = 6;

template <class Queue>
struct State {
  Queue queue{kEnvs};
  std::array<Atomic<int>, kEnvs> idle{1, 1};
  std::array<int, kTickets + kEnvs> sent{};  // the env of each row
  std::array<int, kTickets + kEnvs> claimed{};
  Atomic<int> total{0};
};

// Sends each env again as soon as it was run, as a pool does. The ring has a place for each env.
template <class Queue>
void Send(State<Queue>& state) {
  for (int row = 0; row < kTickets;) {
    const int before = row;
    for (int env = 0; env < kEnvs; ++env) {
      if (state.idle[env].load() == 0) continue;
      state.idle[env].store(0);
      state.sent[row] = env;
      state.queue.Put({.env = env, .count = 1, .row = row++, .batch = 0, .reset = 0});
    }
    if (row > before) state.queue.Publish();
    if (row == before) SimSync::Pause(1);
  }
}

template <class Queue>
void Take(State<Queue>& state, int most) {
  while (state.total.load() < kTickets) {
    Ticket tickets[kEnvs];
    const int count = state.queue.Claim(tickets, [most](int64_t, const Ticket&) { return most; });
    if (count == 0) SimSync::Pause(1);
    for (int i = 0; i < count; ++i) {
      const Ticket& ticket = tickets[i];
      Check(++state.claimed.at(ticket.row) == 1, "a ticket is claimed twice");
      Check(ticket.count == 1 && ticket.env == state.sent.at(ticket.row),
            "a ticket is overwritten");
      state.idle[ticket.env].store(1);
      state.total.fetch_add(1);
    }
  }
}

template <class Queue>
std::string ExploreQueue() {
  return Explore({}, [](Plan& plan) {
    const auto state = std::make_shared<State<Queue>>();
    plan.Thread([=] { Send(*state); });
    for (const int most : {1, 1, kEnvs}) plan.Thread([=] { Take(*state, most); });
    plan.AtEnd([=] {
      for (int i = 0; i < kTickets; ++i) Check(state->claimed[i] == 1, "a ticket is lost");
    });
  });
}

TEST(TicketQueueOrder, EachTicketIsClaimedOnceAsItWasSent) {
  EXPECT_EQ(ExploreQueue<SimQueue>(), "");
}

TEST(TicketQueueOrder, BugsAreFound) {
  const std::string twice = ExploreQueue<BasicTicketQueue<TornSync>>();
  EXPECT_TRUE(twice.starts_with("a ticket is claimed twice")) << twice;
  // A lost ticket shows up as a ticket that is overwritten, lost or claimed twice.
  for (const std::string& failure :
       {ExploreQueue<ReadsAfterTheClaim>(), ExploreQueue<PublishesTooEarly>()}) {
    EXPECT_TRUE(failure.starts_with("a ticket is ")) << failure;
  }
}

}  // namespace
}  // namespace parallel_pool
