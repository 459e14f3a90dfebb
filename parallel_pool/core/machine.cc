#include "parallel_pool/core/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

namespace parallel_pool {
namespace {

std::vector<int> ReadAffinity() {
  std::vector<int> cpus;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
  }
  return cpus.empty() ? std::vector<int>{0} : cpus;
}

// Processors that the control group pays for; infinity if it sets no quota.
double ReadQuota() {
  double quota = -1, period = 0;
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2) {
    v2 >> quota >> period;  // "max 100000" leaves both 0
  } else {
    std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota;
    std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
  }
  return quota > 0 && period > 0 ? quota / period : INFINITY;
}

}  // namespace

const std::vector<int>& UsableCpus() {
  static const std::vector<int> cpus = ReadAffinity();
  return cpus;
}

int UsableThreads() {
  static const int threads = static_cast<int>(
      std::min<double>(static_cast<double>(UsableCpus().size()), std::ceil(ReadQuota())));
  return std::max(1, threads);
}

int64_t UsableMemory() {
  int64_t bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  for (const char* file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    int64_t limit = 0;
    if (std::ifstream(file) >> limit && limit > 0) bytes = std::min(bytes, limit);  // or "max"
  }
  return bytes;
}

}  // namespace parallel_pool
