#include "parallel_pool/core/machine/cgroup.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/testing/made_up_root.h"

namespace parallel_pool {
namespace {

constexpr int64_t kNoLimit = INT64_MAX;
const std::string kGroups = "/sys/fs/cgroup";

struct Case {
  std::string name;
  std::string group;                         // /proc/self/cgroup; empty: there is none
  std::map<std::string, std::string> files;  // below /sys/fs/cgroup
  double quota;                              // processors
  int64_t memory;                            // bytes
};

const std::vector<Case> kCases = {
    {"nothing", "", {}, INFINITY, kNoLimit},
    {"no limits", "0::/", {{"cpu.max", "max 100000"}, {"memory.max", "max"}}, INFINITY, kNoLimit},
    {"a container sees its own group as the root",
     "0::/",
     {{"cpu.max", "250000 100000"}, {"memory.max", "1000000"}},
     2.5,
     1000000},
    {"without /proc", "", {{"cpu.max", "50000 100000"}, {"memory.max", "7"}}, 0.5, 7},
    {"the group's own",
     "0::/a/b",
     {{"a/cpu.max", "max 100000"}, {"a/b/cpu.max", "300000 100000"}, {"a/b/memory.max", "8"}},
     3,
     8},
    {"a parent's is smaller",
     "0::/a/b/c",
     {{"a/cpu.max", "150000 100000"},
      {"a/b/c/cpu.max", "800000 100000"},
      {"a/memory.max", "5"},
      {"a/b/memory.max", "4"},
      {"a/b/c/memory.max", "max"}},
     1.5,
     4},
    {"not a relative's",
     "0::/a/b",
     {{"c/cpu.max", "100000 100000"}, {"a/b/c/cpu.max", "100000 100000"}, {"ab/memory.max", "1"}},
     INFINITY,
     kNoLimit},
    {"a path of the host that the container does not see",
     "0::/docker/0123",
     {{"cpu.max", "400000 100000"}},
     4,
     kNoLimit},
    {"a group outside of the root",
     "0::/../../x",
     {{"cpu.max", "400000 100000"}, {"../../x/cpu.max", "100000 100000"}},
     4,
     kNoLimit},
    {"version 1",
     "4:memory:/m\n2:cpu,cpuacct:/a/b\n1:name=systemd:/a",
     {{"cpu/cpu.cfs_quota_us", "-1"},
      {"cpu/cpu.cfs_period_us", "100000"},
      {"cpu/a/cpu.cfs_quota_us", "200000"},
      {"cpu/a/cpu.cfs_period_us", "100000"},
      {"cpu/a/b/cpu.cfs_quota_us", "150000"},
      {"cpu/a/b/cpu.cfs_period_us", "50000"},
      {"memory/memory.limit_in_bytes", "9223372036854771712"},
      {"memory/m/memory.limit_in_bytes", "512"}},
     2,
     512},
    {"both versions",
     "2:cpu:/a\n0::/b",
     {{"cpu/a/cpu.cfs_quota_us", "200000"},
      {"cpu/a/cpu.cfs_period_us", "100000"},
      {"b/memory.max", "64"}},
     2,
     64},
    {"malformed",
     "0::a/b\n:::\n\n0\nx:cpu",
     {{"cpu.max", "many few"}, {"memory.max", "-3"}, {"cpu/cpu.cfs_quota_us", "100000"}},
     INFINITY,
     kNoLimit},
};

TEST(Cgroup, TheSmallestLimitCounts) {
  for (const Case& c : kCases) {
    MadeUpRoot root;
    root.Write(kGroups + "/cgroup.procs", "1");
    if (!c.group.empty()) root.Write("/proc/self/cgroup", c.group);
    for (const auto& [file, text] : c.files) root.Write(kGroups + "/" + file, text);
    EXPECT_EQ(CpuQuota(root.path()), c.quota) << c.name;
    EXPECT_EQ(MemoryLimit(root.path()), c.memory) << c.name;
  }
}

}  // namespace
}  // namespace parallel_pool
