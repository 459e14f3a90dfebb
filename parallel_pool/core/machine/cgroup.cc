#include "parallel_pool/core/machine/cgroup.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <vector>

namespace parallel_pool {
namespace {

// The group of this process, such as "/user.slice/job"; "" if it is not listed. A line is
// "number:controllers:path", and that of version 2 names no controller.
std::string GroupPath(const std::string& root, const std::string& controller) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers.find("," + controller + ",") == std::string::npos) continue;
    const std::string path = line.substr(second + 1);
    const bool inside = path.starts_with('/') && path.find("/..") == std::string::npos;
    return inside ? path : "";  // "/.." leads out of the mounted tree
  }
  return "";
}

// The folders of the process's group and of its parent groups. In a container, files of inner
// groups may be missing; the last folder is the outermost group that the container sees.
std::vector<std::string> Folders(const std::string& root, const std::string& controller) {
  const std::string mount = root + "/sys/fs/cgroup" + (controller.empty() ? "" : "/") + controller;
  std::vector<std::string> folders;
  for (std::string path = GroupPath(root, controller); path.size() > 1;
       path.resize(path.find_last_of('/'))) {
    folders.push_back(mount + path);
  }
  folders.push_back(mount);
  return folders;
}

// The first number of a file; 0 if it is no number, such as "max", or if there is no file.
int64_t ReadNumber(const std::string& file) {
  int64_t number = 0;
  std::ifstream(file) >> number;
  return number;
}

}  // namespace

double CpuQuota(const std::string& root) {
  double quota = INFINITY;
  const auto limit = [&quota](double time, double period) {  // both in us
    if (time > 0 && period > 0) quota = std::min(quota, time / period);
  };
  for (const std::string& folder : Folders(root, "")) {
    double time = 0, period = 0;
    std::ifstream(folder + "/cpu.max") >> time >> period;  // "max 100000" leaves both 0
    limit(time, period);
  }
  for (const std::string& folder : Folders(root, "cpu")) {
    limit(static_cast<double>(ReadNumber(folder + "/cpu.cfs_quota_us")),  // -1: no limit
          static_cast<double>(ReadNumber(folder + "/cpu.cfs_period_us")));
  }
  return quota;
}

int64_t MemoryLimit(const std::string& root) {
  int64_t bytes = std::numeric_limits<int64_t>::max();
  const auto limit = [&bytes](int64_t value) {
    if (value > 0) bytes = std::min(bytes, value);
  };
  for (const std::string& folder : Folders(root, "")) limit(ReadNumber(folder + "/memory.max"));
  for (const std::string& folder : Folders(root, "memory")) {
    limit(ReadNumber(folder + "/memory.limit_in_bytes"));
  }
  return bytes;
}

}  // namespace parallel_pool
