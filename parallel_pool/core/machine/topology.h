// Which processors this process may use, where they are, and how a pool's threads use them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace parallel_pool {

struct Cpu {
  int id;    // the system's number of the processor
  int node;  // the system's number of the NUMA node: its memory is nearer than that of others
};

struct Topology {
  std::vector<Cpu> cpus;  // those that this process may use, ascending by id, never empty
  double quota;           // how many of them it may keep busy, by its control groups; or infinity
};

// The numbers of a list such as "0-3,8,10-11", ascending; nothing if it is malformed.
std::optional<std::vector<int>> ParseCpuList(std::string_view text);

// What the files below `root` (sysfs, procfs) say of the processors in `affinity`; all that are
// online if that is empty. A file that is missing or malformed is taken for a machine without such
// a thing: all is online, on node 0, there is no quota.
Topology ReadTopology(const std::string& root, const std::vector<int>& affinity);

// Of this machine and process, read once.
const Topology& MachineTopology();

// How many threads run envs if the user does not say: as many as can run at once, at least 1.
int DefaultThreads(const Topology& topology);

// Threads of a pool that share processors.
struct Shard {
  std::vector<int> cpus;  // where they may run; empty: anywhere
  int threads = 0;        // at least 1
  bool pinned = false;    // thread i runs on cpus[i] alone; else each on all of cpus
};

// Where a pool of `num_threads`, at least 1, runs its threads. Shards are in the order of their
// nodes, their threads add up to `num_threads`.
//
//   affinity_offset >= 0   thread i is pinned to usable processor (affinity_offset + i) % count, in
//                          ascending order of ids: a shard for each node of those
//   else, one node holds   one shard that runs anywhere: other pools and processes may be on the
//   that many threads      same machine, and the system knows best
//   else                   a shard for each node with usable processors, with a share of the
//                          threads like the node's share of the processors, at least one; if there
//                          are more nodes than threads, for the largest nodes
std::vector<Shard> PlanShards(const Topology& topology, int num_threads, int affinity_offset);

// For each thread of the plan, shard by shard, the processors that it may run on; none: any.
std::vector<std::vector<int>> CpusOfThreads(const std::vector<Shard>& plan);

// Keeps a thread on these processors, unless there are none. A refusal by the system costs speed
// only.
void Pin(std::thread::native_handle_type thread, const std::vector<int>& cpus);

}  // namespace parallel_pool
