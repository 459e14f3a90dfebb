#include "parallel_pool/core/machine/topology.h"

#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/testing/made_up_root.h"

namespace parallel_pool {
namespace {

TEST(ParseCpuList, TakesNumbersAndRanges) {
  const std::vector<std::pair<std::string, std::vector<int>>> good = {
      {"", {}},     {"0", {0}}, {"0-3,8,10-11", {0, 1, 2, 3, 8, 10, 11}}, {"9,1-2,2", {1, 2, 9}},
      {"5-5", {5}},
  };
  for (const auto& [text, numbers] : good) EXPECT_EQ(ParseCpuList(text), numbers) << text;
  for (const std::string text :
       {"-", "-1", "1-", "3-1", "a", "0-3;5", "0-7:1/2", "1,", ",1", "1,,2", " 1", "1 ", "1-2-3",
        "0-99999999999999999999", "0-2000000000", "0x1", "+1", "1.5"}) {
    EXPECT_EQ(ParseCpuList(text), std::nullopt) << text;
  }
}

// "id:node" of each processor.
std::string Show(const Topology& machine) {
  std::ostringstream text;
  for (const Cpu& cpu : machine.cpus) {
    text << (text.tellp() == 0 ? "" : " ") << cpu.id << ":" << cpu.node;
  }
  return text.str();
}

const std::string kCpus = "/sys/devices/system/cpu";
const std::string kNodes = "/sys/devices/system/node";

// Two nodes of two cores with two threads each; node 2 has memory only.
void WriteServer(MadeUpRoot& root) {
  root.Write(kCpus + "/online", "0-7");
  root.Write(kNodes + "/node0/cpulist", "0-1,4-5").Write(kNodes + "/node1/cpulist", "2-3,6-7");
  root.Write(kNodes + "/node2/cpulist", "");
  root.Write(kNodes + "/possible", "0-2").Write(kNodes + "/power/control", "auto");
}

TEST(ReadTopology, SeesNodesAndQuota) {
  MadeUpRoot root;
  WriteServer(root);
  root.Write("/proc/self/cgroup", "0::/job").Write("/sys/fs/cgroup/job/cpu.max", "250000 100000");
  const Topology machine = ReadTopology(root.path(), {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(Show(machine), "0:0 1:0 2:1 3:1 4:0 5:0 6:1 7:1");
  EXPECT_EQ(machine.quota, 2.5);
  EXPECT_EQ(Show(ReadTopology(root.path(), {})), Show(machine));
}

TEST(ReadTopology, LeavesOutWhatMayNotBeUsed) {
  MadeUpRoot root;
  WriteServer(root);
  EXPECT_EQ(Show(ReadTopology(root.path(), {7, 1, 3})), "1:0 3:1 7:1");
  root.Write(kCpus + "/online", "0-2,5");
  EXPECT_EQ(Show(ReadTopology(root.path(), {1, 3, 5})), "1:0 5:0");
  // The files do not know these processors: the affinity counts.
  EXPECT_EQ(Show(ReadTopology(root.path(), {90, 91})), "90:0 91:0");
}

TEST(ReadTopology, GoesOnWithoutFiles) {
  MadeUpRoot root;
  EXPECT_EQ(Show(ReadTopology(root.path(), {5, 37, 60})), "5:0 37:0 60:0");
  EXPECT_EQ(Show(ReadTopology(root.path(), {})), "0:0");
  EXPECT_EQ(ReadTopology(root.path(), {}).quota, INFINITY);
  root.Write(kCpus + "/online", "0-2");
  EXPECT_EQ(Show(ReadTopology(root.path(), {})), "0:0 1:0 2:0");
}

TEST(ReadTopology, GoesOnWithMalformedFiles) {
  MadeUpRoot root;
  WriteServer(root);
  root.Write(kCpus + "/online", "0-");
  root.Write(kNodes + "/node1/cpulist", "2-3,6-7;").Write(kNodes + "/node99999999999/cpulist", "0");
  root.Write(kNodes + "/nodes/cpulist", "1");
  EXPECT_EQ(Show(ReadTopology(root.path(), {0, 1, 2, 4, 6})), "0:0 1:0 2:0 4:0 6:0");
}

TEST(MachineTopology, IsReadOnce) {
  const Topology& machine = MachineTopology();
  EXPECT_GT(machine.quota, 0);
  EXPECT_EQ(&machine, &MachineTopology());
}

}  // namespace
}  // namespace parallel_pool
