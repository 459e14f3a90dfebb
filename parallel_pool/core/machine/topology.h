// The processors that this process may use, their NUMA nodes, and how a pool's threads use them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parallel_pool {

struct Cpu {
  int id;    // the system's number of the processor
  int node;  // the system's number of the NUMA node, whose memory is nearest
};

struct Topology {
  std::vector<Cpu> cpus;  // those that this process may use, ascending by id, never empty
  double quota;           // processors that it may keep busy, by its control groups; or infinity
};

// The numbers of a list such as "0-3,8,10-11", ascending; nullopt if it is malformed.
std::optional<std::vector<int>> ParseCpuList(std::string_view text);

// The processors in `affinity`, as the files below `root` (sysfs, procfs) describe them; all that
// are online if `affinity` is empty. Where a file is missing or malformed, all processors are
// online, on node 0, and there is no quota.
Topology ReadTopology(const std::string& root, const std::vector<int>& affinity);

// The topology of this machine and process, read once.
const Topology& MachineTopology();

// The default of num_threads: as many threads as can run at once, at least 1.
int DefaultThreads(const Topology& topology);

// Threads of a pool that share processors.
struct Shard {
  std::vector<int> cpus;  // processors that they may run on; empty: any
  int threads = 0;        // at least 1
  bool pinned = false;    // thread i runs on cpus[i] alone; else each on all of cpus
};

// The processors for the threads of a pool of `num_threads`, at least 1. Shards are in the order of
// their nodes; their threads add up to `num_threads`.
//
//   affinity_offset >= 0   thread i is pinned to usable processor (affinity_offset + i) % count, in
//                          ascending order of ids: a shard for each node of those
//   else, one node holds   one shard that runs anywhere: other pools and processes may run on the
//   that many threads      same machine, and the system's scheduler knows their load
//   else                   a shard for each node with usable processors, with a share of the
//                          threads like the node's share of the processors, at least one; if there
//                          are more nodes than threads, for the largest nodes
std::vector<Shard> PlanShards(const Topology& topology, int num_threads, int affinity_offset);

// The processors of each thread of the plan, shard by shard; none: any processor.
std::vector<std::vector<int>> CpusOfThreads(const std::vector<Shard>& plan);

}  // namespace parallel_pool
