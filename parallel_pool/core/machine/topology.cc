#include "parallel_pool/core/machine/topology.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "parallel_pool/core/machine/cgroup.h"
#include "parallel_pool/core/platform/processors.h"

namespace parallel_pool {
namespace {

constexpr int kMaxCpus = 1 << 16;  // Linux has at most 8192
constexpr char kCpus[] = "/sys/devices/system/cpu";
constexpr char kNodes[] = "/sys/devices/system/node";

// Parses `text`, all of it, as an integer >= 0.
std::optional<int> ParseNumber(std::string_view text) {
  int number = -1;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number < 0) return {};
  return number;
}

// The list in a file of one line; nullopt without the file.
std::optional<std::vector<int>> ReadCpuList(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  if (!stream) return {};
  std::getline(stream, line);  // empty for a node without processors
  return ParseCpuList(line);
}

// The NUMA node of each processor that a node's file lists.
std::map<int, int> ReadNodes(const std::string& root) {
  std::map<int, int> nodes;
  std::error_code error;  // without the folder, there is no entry
  std::filesystem::directory_iterator entry(root + kNodes, error);
  for (; entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with("node")) continue;
    const std::optional<int> node = ParseNumber(std::string_view(name).substr(4));
    const auto cpus = ReadCpuList(entry->path().string() + "/cpulist");
    if (!node || !cpus) continue;
    for (const int cpu : *cpus) nodes.emplace(cpu, *node);
  }
  return nodes;
}

std::vector<int> UsableIds(const std::string& root, const std::vector<int>& affinity) {
  const std::set<int> allowed(affinity.begin(), affinity.end());
  std::vector<int> ids;
  for (const int cpu : ReadCpuList(root + kCpus + "/online").value_or(std::vector<int>())) {
    if (allowed.empty() || allowed.contains(cpu)) ids.push_back(cpu);
  }
  if (ids.empty()) ids.assign(allowed.begin(), allowed.end());  // the file is missing or malformed
  return ids.empty() ? std::vector<int>{0} : ids;
}

// The usable processors of each node.
std::map<int, std::vector<int>> ByNode(const Topology& topology) {
  std::map<int, std::vector<int>> nodes;
  for (const Cpu& cpu : topology.cpus) nodes[cpu.node].push_back(cpu.id);
  return nodes;
}

std::vector<Shard> PinThreads(const Topology& topology, int num_threads, int64_t offset) {
  std::map<int, Shard> shards;
  for (int i = 0; i < num_threads; ++i) {
    const Cpu& cpu = topology.cpus[(offset + i) % topology.cpus.size()];
    Shard& shard = shards[cpu.node];
    shard.cpus.push_back(cpu.id);
    shard.threads += 1;
    shard.pinned = true;
  }
  std::vector<Shard> plan;
  for (auto& [node, shard] : shards) plan.push_back(std::move(shard));
  return plan;
}

// Each thread goes to the node that is furthest below its share (the method of the largest
// remainder), but none gets its second before all have their first.
std::vector<Shard> SpreadThreads(const Topology& topology, int num_threads) {
  std::vector<Shard> shards;
  for (auto& [node, cpus] : ByNode(topology)) shards.push_back({.cpus = std::move(cpus)});
  const auto count = static_cast<int64_t>(topology.cpus.size());
  const auto need = [&](const Shard& shard) {
    const auto cpus = static_cast<int64_t>(shard.cpus.size());
    return std::pair(shard.threads == 0, num_threads * cpus - shard.threads * count);
  };
  for (int i = 0; i < num_threads; ++i) {
    std::ranges::max_element(shards, {}, need)->threads += 1;  // of equals, the first
  }
  std::erase_if(shards, [](const Shard& shard) { return shard.threads == 0; });
  return shards;
}

}  // namespace

std::optional<std::vector<int>> ParseCpuList(std::string_view text) {
  if (text.empty()) return std::vector<int>();
  std::set<int> numbers;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    const std::string_view part = text.substr(start, end - start);
    start = end + 1;
    const size_t dash = part.find('-');
    const auto first = ParseNumber(part.substr(0, dash));
    const auto last = dash == part.npos ? first : ParseNumber(part.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= kMaxCpus) return {};
    for (int cpu = *first; cpu <= *last; ++cpu) numbers.insert(cpu);
  }
  return std::vector<int>(numbers.begin(), numbers.end());
}

Topology ReadTopology(const std::string& root, const std::vector<int>& affinity) {
  const std::map<int, int> nodes = ReadNodes(root);
  Topology topology{.cpus = {}, .quota = CpuQuota(root)};
  for (const int id : UsableIds(root, affinity)) {
    const auto node = nodes.find(id);
    topology.cpus.push_back({.id = id, .node = node == nodes.end() ? 0 : node->second});
  }
  return topology;
}

const Topology& MachineTopology() {
  static const Topology topology = ReadTopology("", platform::UsableProcessors());
  return topology;
}

int DefaultThreads(const Topology& topology) {
  const auto cpus = static_cast<double>(topology.cpus.size());
  return std::max(1, static_cast<int>(std::min(cpus, std::ceil(topology.quota))));
}

std::vector<Shard> PlanShards(const Topology& topology, int num_threads, int affinity_offset) {
  if (affinity_offset >= 0) return PinThreads(topology, num_threads, affinity_offset);
  size_t largest = 0;
  for (const auto& [node, cpus] : ByNode(topology)) largest = std::max(largest, cpus.size());
  if (num_threads <= static_cast<int>(largest)) return {{.cpus = {}, .threads = num_threads}};
  return SpreadThreads(topology, num_threads);
}

std::vector<std::vector<int>> CpusOfThreads(const std::vector<Shard>& plan) {
  std::vector<std::vector<int>> threads;
  for (const Shard& shard : plan) {
    for (int i = 0; i < shard.threads; ++i) {
      threads.push_back(shard.pinned ? std::vector<int>{shard.cpus[i]} : shard.cpus);
    }
  }
  return threads;
}

}  // namespace parallel_pool
