#include "parallel_pool/core/engine/homes.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"

namespace parallel_pool {
namespace {

constexpr int kAll = 1 << 20;

// (env, count, row) of all tickets that a thread of `home` claims, in order.
std::vector<std::tuple<int, int, int>> Drain(Homes& homes, int home) {
  std::vector<std::tuple<int, int, int>> found;
  Ticket ticket;
  while (homes.Claim(home, &ticket, [](int64_t, const Ticket&) { return 1; }) > 0) {
    found.emplace_back(ticket.env, ticket.count, ticket.row);
  }
  return found;
}

std::vector<int32_t> UpTo(int n) {
  std::vector<int32_t> envs(n);
  std::iota(envs.begin(), envs.end(), 0);
  return envs;
}

using Found = std::vector<std::tuple<int, int, int>>;

TEST(Homes, ATicketIsARunOfEnvsInOneHome) {
  Homes homes(10, 2);
  homes.Send(UpTo(10), 0, false, 2, kAll);
  EXPECT_EQ(Drain(homes, 0), (Found{{0, 5, 0}, {5, 5, 5}}));
  homes.Send(std::vector<int32_t>{3, 4, 5, 6, 8, 1, 0}, 0, false, 2, kAll);
  EXPECT_EQ(Drain(homes, 0), (Found{{3, 2, 0}, {1, 1, 5}, {0, 1, 6}, {5, 2, 2}, {8, 1, 4}}));
}

TEST(Homes, OwnTicketsComeFirst) {
  Homes homes(9, 3);
  EXPECT_FALSE(homes.any());
  homes.Send(UpTo(9), 0, false, 3, kAll);
  EXPECT_TRUE(homes.any());
  EXPECT_EQ(Drain(homes, 1), (Found{{3, 3, 3}, {6, 3, 6}, {0, 3, 0}}));
  EXPECT_FALSE(homes.any());
}

TEST(Homes, ATicketIsNoLargerThanTheLimit) {
  Homes homes(10, 1);
  homes.Send(UpTo(10), 0, false, 1, 4);
  EXPECT_EQ(Drain(homes, 0), (Found{{0, 4, 0}, {4, 4, 4}, {8, 2, 8}}));
}

TEST(Homes, WorkForFewThreadsLiesInFewHomes) {
  Homes homes(12, 6);
  homes.Send(UpTo(12), 0, false, 1, kAll);
  EXPECT_EQ(Drain(homes, 3), (Found{{0, 12, 0}}));
  homes.Send(UpTo(12), 0, false, 3, kAll);  // homes 0, 2 and 4
  EXPECT_EQ(Drain(homes, 2), (Found{{4, 4, 4}, {8, 4, 8}, {0, 4, 0}}));
  homes.Send(UpTo(12), 0, false, 2, kAll);  // homes 0 and 4: by powers of two
  EXPECT_EQ(Drain(homes, 4), (Found{{8, 4, 8}, {0, 8, 0}}));
}

// Random envs in random order, sent again as soon as they were claimed, for several numbers of
// threads.
TEST(Homes, EachEnvIsFoundOnceInItsRow) {
  std::mt19937 random(1);
  for (int pool = 0; pool < 200; ++pool) {
    const int num_envs = 1 + random() % 40, threads = 1 + random() % std::min(num_envs, 9);
    Homes homes(num_envs, threads);
    std::vector<int32_t> idle = UpTo(num_envs);
    std::vector<int32_t> row_of(num_envs), sent_in(num_envs);
    for (int round = 0; round < 50; ++round) {
      std::shuffle(idle.begin(), idle.end(), random);
      const auto chosen = idle.end() - random() % (idle.size() + 1);
      std::vector<int32_t> envs(chosen, idle.end());
      idle.erase(chosen, idle.end());
      if (random() % 2 == 0) std::sort(envs.begin(), envs.end());
      for (size_t row = 0; row < envs.size(); ++row) {
        row_of[envs[row]] = static_cast<int32_t>(row);
        sent_in[envs[row]] = round;
      }
      homes.Send(envs, /*batch=*/round, /*reset=*/round % 3 == 0, 1 + random() % threads,
                 1 + random() % 10);
      Ticket ticket;
      const int claims = random() % 8;
      for (int i = 0; i < claims || round == 49; ++i) {
        const int home = random() % threads;
        if (homes.Claim(home, &ticket, [](int64_t, const Ticket&) { return 1; }) == 0) break;
        for (int k = 0; k < ticket.count; ++k) {
          EXPECT_EQ(ticket.row + k, row_of[ticket.env + k]);
          EXPECT_EQ(static_cast<int>(ticket.batch), sent_in[ticket.env + k]);
          EXPECT_EQ(ticket.reset, sent_in[ticket.env + k] % 3 == 0);
          idle.push_back(ticket.env + k);
        }
      }
    }
    std::sort(idle.begin(), idle.end());
    EXPECT_EQ(idle, UpTo(num_envs));
  }
}

}  // namespace
}  // namespace parallel_pool
