#include "parallel_pool/core/testing/interleave.h"

#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace parallel_pool::testing {
namespace {

template <class T>
using Atomic = SimSync::Atomic<T>;

// Two threads add 1, `atomically` or by a load and a store.
void Adders(Plan& plan, bool atomically) {
  const auto sum = std::make_shared<Atomic<int>>(0);
  for (int t = 0; t < 2; ++t) {
    plan.Thread([=] {
      if (atomically) {
        sum->fetch_add(1);
      } else {
        sum->store(sum->load() + 1);
      }
    });
  }
  plan.AtEnd([=] { Check(sum->load() == 2, "an addition is lost"); });
}

TEST(Interleave, FindsALostUpdate) {
  EXPECT_EQ(Explore({}, [](Plan& plan) { Adders(plan, true); }), "");
  const std::string failure = Explore({}, [](Plan& plan) { Adders(plan, false); });
  EXPECT_TRUE(failure.starts_with("an addition is lost\nlast steps, of 4 ")) << failure;
}

TEST(Interleave, ReplaysAScheduleByItsSeed) {
  const auto run = [](Plan& plan) { Adders(plan, false); };
  const std::string failure = Explore({}, run);
  const size_t at = failure.find("INTERLEAVE_SEED=");
  ASSERT_NE(at, std::string::npos) << failure;
  setenv("INTERLEAVE_SEED", failure.substr(at + 16).c_str(), 1);
  EXPECT_EQ(Explore({}, run), failure);
  unsetenv("INTERLEAVE_SEED");
}

TEST(Interleave, RunsManyDifferentOrders) {
  std::set<std::string> orders;
  std::string order;
  Explore({}, [&](Plan& plan) {
    orders.insert(std::exchange(order, ""));
    const auto word = std::make_shared<Atomic<int>>(0);
    for (const char name : {'a', 'b', 'c'}) {
      plan.Thread([&order, word, name] {
        for (int i = 0; i < 2; ++i) {
          word->store(i);
          order += name;
        }
      });
    }
  });
  EXPECT_EQ(orders.size(), 1 + 90u);  // 6! / 2!^3, and none before the first
}

// A thread checks the word, and sleeps without the second check of Wait.
TEST(Interleave, FindsADeadlock) {
  const auto set_up = [](Plan& plan, bool second_look) {
    const auto word = std::make_shared<Atomic<uint32_t>>(0);
    plan.Thread([=] {
      while (word->load() == 0) {
        SimSync::Wait(*word, second_look ? 0 : word->load(), std::chrono::hours(1));
      }
    });
    plan.Thread([=] {
      word->store(1);
      SimSync::Wake(*word);
    });
  };
  EXPECT_EQ(Explore({}, [&](Plan& plan) { set_up(plan, true); }), "");
  const std::string failure = Explore({}, [&](Plan& plan) { set_up(plan, false); });
  EXPECT_TRUE(failure.starts_with("deadlock: ")) << failure;
}

TEST(Interleave, FindsALivelock) {
  const std::string failure = Explore({.max_steps = 500}, [](Plan& plan) {
    const auto word = std::make_shared<Atomic<int>>(0);
    for (const int self : {1, 2}) {
      plan.Thread([=] {  // each waits for the other to leave
        word->store(self);
        while (word->load() != 0) SimSync::Pause(1);
      });
    }
  });
  EXPECT_TRUE(failure.starts_with("livelock: ")) << failure;
}

TEST(Interleave, LimitsOfSleepsRunOut) {
  EXPECT_EQ(Explore({},
                    [](Plan& plan) {
                      const auto word = std::make_shared<Atomic<uint32_t>>(0);
                      plan.Thread([=] { SimSync::Wait(*word, 0, std::chrono::seconds(1)); });
                    }),
            "");
}

TEST(Interleave, UnwindsTheThreadsOfAFailedSchedule) {
  const auto alive = std::make_shared<int>(0);
  const std::string failure = Explore({}, [&](Plan& plan) {
    const auto word = std::make_shared<Atomic<uint32_t>>(0);
    plan.Thread([=] {
      const std::shared_ptr<int> on_the_stack = alive;
      SimSync::Wait(*word, 0, std::chrono::hours(1));
    });
  });
  EXPECT_TRUE(failure.starts_with("deadlock: ")) << failure;
  EXPECT_EQ(alive.use_count(), 1);
}

}  // namespace
}  // namespace parallel_pool::testing
