// Every order of a sender and its takers, as far as the budget goes (testing/interleave.h).
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/testing/interleave.h"
#include "parallel_pool/core/ticket_queue.h"

namespace parallel_pool {
namespace {

using testing::Check;
using testing::Explore;
using testing::Plan;
using testing::SimSync;
template <class T>
using Atomic = SimSync::Atomic<T>;
using SimQueue = BasicTicketQueue<SimSync>;

// What must not be written.

// Claims by a load and a store.
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

// Reads its tickets when they are its own, and the sender may already write over them.
class ReadsAfterTheClaim {
 public:
  explicit ReadsAfterTheClaim(int capacity) : ring_(capacity) {}
  void Put(int64_t i, Ticket ticket) {
    ring_[(tail_.load() + i) % ring_.size()].store(std::bit_cast<uint64_t>(ticket));
  }
  void Publish(int64_t count) { tail_.fetch_add(count); }
  uint64_t tail() const { return tail_.load(); }
  template <class Size>
  int Claim(Ticket* out, uint64_t* position, const Size& size) {
    uint64_t head = head_.load();
    for (;;) {
      const uint64_t tail = tail_.load();
      if (head >= tail) return 0;
      const int count = size(static_cast<int64_t>(tail - head));
      if (!head_.compare_exchange_weak(head, head + count)) continue;
      for (int i = 0; i < count; ++i) {
        out[i] = std::bit_cast<Ticket>(ring_[(head + i) % ring_.size()].load());
      }
      *position = head;
      return count;
    }
  }

 private:
  std::vector<Atomic<uint64_t>> ring_;
  Atomic<uint64_t> head_{0}, tail_{0};
};

// Publishes before the tickets are in the ring.
class PublishesTooEarly : public SimQueue {
 public:
  using SimQueue::SimQueue;
  void Put(int64_t i, Ticket ticket) {
    if (i == 0) SimQueue::Publish(1);
    SimQueue::Put(i - 1, ticket);
  }
  void Publish(int64_t count) { SimQueue::Publish(count - 1); }
};

constexpr int kEnvs = 2, kTickets = 6;

template <class Queue>
struct State {
  Queue queue{kEnvs};
  std::array<Atomic<int>, kEnvs> idle{1, 1};
  std::array<Ticket, kTickets + kEnvs> sent{};  // by position
  std::array<int, kTickets + kEnvs> claimed{};
  Atomic<int> total{0};
};

// Sends each env again as soon as it was run, as a pool does: the ring is as large as they are
// many.
template <class Queue>
void Send(State<Queue>& state) {
  for (uint64_t sent = 0; sent < kTickets;) {
    int count = 0;
    for (int env = 0; env < kEnvs; ++env) {
      if (state.idle[env].load() == 0) continue;
      state.idle[env].store(0);
      const Ticket ticket{env, static_cast<uint32_t>(sent), 0};
      state.sent[sent++] = ticket;
      state.queue.Put(count++, ticket);
    }
    if (count > 0) state.queue.Publish(count);
    if (count == 0) SimSync::Pause(1);
  }
}

template <class Queue>
void Take(State<Queue>& state, int most) {
  while (state.total.load() < kTickets) {
    Ticket tickets[kEnvs];
    uint64_t position = 0;
    const int count = state.queue.Claim(tickets, &position, [most](int64_t waiting) {
      return static_cast<int>(std::min<int64_t>(most, waiting));
    });
    if (count == 0) SimSync::Pause(1);
    for (int i = 0; i < count; ++i) {
      const Ticket& sent = state.sent.at(position + i);
      Check(++state.claimed.at(position + i) == 1, "a ticket is claimed twice");
      Check(tickets[i].env == sent.env && tickets[i].batch == sent.batch,
            "a ticket is overwritten");
      state.idle[tickets[i].env].store(1);
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
  const std::string overwritten = ExploreQueue<ReadsAfterTheClaim>();
  EXPECT_TRUE(overwritten.starts_with("a ticket is overwritten")) << overwritten;
  const std::string early = ExploreQueue<PublishesTooEarly>();
  EXPECT_TRUE(early.starts_with("a ticket is overwritten")) << early;
}

}  // namespace
}  // namespace parallel_pool
