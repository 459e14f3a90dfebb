// PlanShards and DefaultThreads on machines that the authors do not have.
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/machine/topology.h"
#include "parallel_pool/core/random.h"

namespace parallel_pool {
namespace {

constexpr int kAnywhere = -1;

// A machine with the usable processors `nodes`, one list per node.
Topology Machine(const std::vector<std::string>& nodes, double quota = INFINITY) {
  Topology machine{.cpus = {}, .quota = quota};
  for (int node = 0; node < static_cast<int>(nodes.size()); ++node) {
    const std::vector<int> ids = ParseCpuList(nodes[node]).value();
    for (const int id : ids) machine.cpus.push_back({id, node});
  }
  std::ranges::sort(machine.cpus, {}, &Cpu::id);
  return machine;
}

// A list such as "0-3,8".
std::string ListOf(const std::vector<int>& cpus) {
  std::ostringstream text;
  for (size_t i = 0, last; i < cpus.size(); i = last + 1) {
    for (last = i; last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1;) ++last;
    text << (i == 0 ? "" : ",") << cpus[i];
    if (last > i) text << "-" << cpus[last];
  }
  return text.str();
}

// A plan as text: "9 on 0-15; 8 on 16-31", "2 anywhere", or "0 1; 2" if each thread is pinned.
std::string Show(const std::vector<Shard>& plan) {
  std::ostringstream text;
  for (const Shard& shard : plan) {
    text << (text.tellp() == 0 ? "" : "; ");
    if (shard.pinned) {
      EXPECT_EQ(static_cast<int>(shard.cpus.size()), shard.threads);
      for (size_t i = 0; i < shard.cpus.size(); ++i) text << (i == 0 ? "" : " ") << shard.cpus[i];
    } else if (shard.cpus.empty()) {
      text << shard.threads << " anywhere";
    } else {
      text << shard.threads << " on " << ListOf(shard.cpus);
    }
  }
  return text.str();
}

const Topology kLaptop = Machine({"0-1"});
const Topology kServer = Machine({"0-15", "16-31"});
// 8 nodes of 16 cores with two threads per core.
const Topology kLarge =
    Machine({"0-15,128-143", "16-31,144-159", "32-47,160-175", "48-63,176-191", "64-79,192-207",
             "80-95,208-223", "96-111,224-239", "112-127,240-255"});
const Topology kContainer = Machine({"5", "37,60"});  // 3 of 64
const Topology kWithMemoryNode = Machine({"0-3", "", "4-7"});
const Topology kUneven = Machine({"0-99", "100-199", "200"});
const Topology kScattered = Machine({"0", "1", "2", "3-4"});

TEST(PlanShards, OnMadeUpMachines) {
  struct Case {
    const Topology& machine;
    int threads, offset;
    std::string plan;
  };
  const std::vector<Case> cases = {
      {kLaptop, 1, kAnywhere, "1 anywhere"},
      {kLaptop, 2, kAnywhere, "2 anywhere"},
      {kLaptop, 5, kAnywhere, "5 on 0-1"},
      {kLaptop, 2, 0, "0 1"},
      {kLaptop, 3, 1, "1 0 1"},
      {kServer, 16, kAnywhere, "16 anywhere"},
      {kServer, 17, kAnywhere, "9 on 0-15; 8 on 16-31"},
      {kServer, 32, kAnywhere, "16 on 0-15; 16 on 16-31"},
      {kServer, 65, kAnywhere, "33 on 0-15; 32 on 16-31"},
      {kServer, 4, 0, "0 1 2 3"},
      {kServer, 4, 14, "14 15; 16 17"},
      {kServer, 4, 30, "0 1; 30 31"},
      {kServer, 3, 2147483647, "0 1; 31"},
      {kLarge, 32, kAnywhere, "32 anywhere"},
      {kLarge, 36, kAnywhere,
       "5 on 0-15,128-143; 5 on 16-31,144-159; 5 on 32-47,160-175; 5 on 48-63,176-191; "
       "4 on 64-79,192-207; 4 on 80-95,208-223; 4 on 96-111,224-239; 4 on 112-127,240-255"},
      {kLarge, 3, 127, "128 129; 127"},
      {kContainer, 2, kAnywhere, "2 anywhere"},
      {kContainer, 3, kAnywhere, "1 on 5; 2 on 37,60"},
      {kContainer, 4, kAnywhere, "1 on 5; 3 on 37,60"},
      {kContainer, 4, 2, "5; 60 37 60"},
      {kWithMemoryNode, 8, kAnywhere, "4 on 0-3; 4 on 4-7"},
      {kUneven, 101, kAnywhere, "50 on 0-99; 50 on 100-199; 1 on 200"},
      {kUneven, 103, kAnywhere, "51 on 0-99; 51 on 100-199; 1 on 200"},
      // Fewer threads than nodes: the largest node, then the first.
      {kScattered, 3, kAnywhere, "1 on 0; 1 on 1; 1 on 3-4"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Show(PlanShards(c.machine, c.threads, c.offset)), c.plan)
        << c.threads << " threads, offset " << c.offset;
  }
}

TEST(DefaultThreads, IsAsManyAsCanRun) {
  const std::string all = "0-63";
  EXPECT_EQ(DefaultThreads(kLaptop), 2);
  EXPECT_EQ(DefaultThreads(kLarge), 256);
  EXPECT_EQ(DefaultThreads(kContainer), 3);
  EXPECT_EQ(DefaultThreads(Machine({all}, 2.5)), 3);
  EXPECT_EQ(DefaultThreads(Machine({all}, 100)), 64);
  EXPECT_EQ(DefaultThreads(Machine({all}, 0.1)), 1);
}

Topology RandomMachine(Rng& rng) {
  Topology machine{.cpus = {}, .quota = INFINITY};
  const auto nodes = rng.Integers(1, 10), cpus = rng.Integers(1, 100);
  for (int id = 0; id < cpus; ++id) {
    const int node = static_cast<int>(rng.Integers(0, nodes) * rng.Integers(0, 2));
    if (rng.Random() < 0.8) machine.cpus.push_back({id, node});
  }
  if (machine.cpus.empty()) machine.cpus.push_back({7, 3});
  return machine;
}

// Checks the rules of every plan; returns the number of threads of each node.
std::map<int, int> CheckPlan(const Topology& machine, const std::vector<Shard>& plan, int threads) {
  std::map<int, int> node_of, threads_of;
  for (const Cpu& cpu : machine.cpus) node_of[cpu.id] = cpu.node;
  int sum = 0, last_node = -1;
  for (const Shard& shard : plan) {
    sum += shard.threads;
    EXPECT_GE(shard.threads, 1);
    if (shard.cpus.empty()) continue;
    const int node = node_of.at(shard.cpus[0]);
    for (const int cpu : shard.cpus) EXPECT_EQ(node_of.at(cpu), node);
    EXPECT_GT(node, last_node);
    last_node = node;
    threads_of[node] = shard.threads;
  }
  EXPECT_EQ(sum, threads);
  return threads_of;
}

TEST(PlanShards, HoldsOnAnyMachine) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Topology machine = RandomMachine(rng);
    std::map<int, std::vector<int>> nodes;
    for (const Cpu& cpu : machine.cpus) nodes[cpu.node].push_back(cpu.id);
    const int threads = static_cast<int>(rng.Integers(1, 300));
    const int offset = static_cast<int>(rng.Integers(-1, 200));

    const auto plan = PlanShards(machine, threads, offset);
    const auto threads_of = CheckPlan(machine, plan, threads);
    EXPECT_EQ(Show(plan), Show(PlanShards(machine, threads, offset)));
    for (const Shard& shard : plan) EXPECT_EQ(shard.pinned, offset >= 0);

    const auto spread = PlanShards(machine, threads, kAnywhere);
    if (spread[0].cpus.empty()) {
      EXPECT_EQ(spread.size(), 1u);
      continue;
    }
    EXPECT_EQ(spread.size(), std::min<size_t>(nodes.size(), threads));
    for (const auto& [node, count] : CheckPlan(machine, spread, threads)) {
      const double all = static_cast<double>(machine.cpus.size());
      const double share = threads * static_cast<double>(nodes[node].size()) / all;
      EXPECT_LE(count, std::ceil(share));
    }
    for (const Shard& shard : spread) {
      EXPECT_FALSE(shard.pinned);
      EXPECT_TRUE(std::ranges::any_of(nodes, [&](auto& n) { return n.second == shard.cpus; }));
    }
  }
}

TEST(CpusOfThreads, FollowsThePlan) {
  using Lists = std::vector<std::vector<int>>;
  EXPECT_EQ(CpusOfThreads({{.cpus = {}, .threads = 2}}), (Lists{{}, {}}));
  EXPECT_EQ(CpusOfThreads({{.cpus = {0, 1, 2}, .threads = 2}, {.cpus = {3}, .threads = 1}}),
            (Lists{{0, 1, 2}, {0, 1, 2}, {3}}));
  EXPECT_EQ(CpusOfThreads({{.cpus = {4, 6}, .threads = 2, .pinned = true}}), (Lists{{4}, {6}}));
}

}  // namespace
}  // namespace parallel_pool
