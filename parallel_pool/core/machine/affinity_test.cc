// The affinity of the process, which only Linux's form of core/platform knows.
#include <sched.h>

#include <cstdlib>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/machine/limits.h"
#include "parallel_pool/core/machine/topology.h"

namespace parallel_pool {
namespace {

// Pins this process to its last processor; exits with 0 if UsableThreads() is then 1.
[[noreturn]] void PinAndExit() {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof(all), &all);
  int last = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) last = CPU_ISSET(cpu, &all) ? cpu : last;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  sched_setaffinity(0, sizeof(one), &one);
  const std::vector<Cpu>& cpus = MachineTopology().cpus;
  std::exit(cpus.size() == 1 && cpus[0].id == last && UsableThreads() == 1 ? 0 : 1);
}

// The affinity is read once per process, so a new process reads it.
TEST(MachineDeathTest, SeesTheAffinityOfTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(PinAndExit(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace parallel_pool
