#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <stdexcept>

#include "parallel_pool/core/platform/process.h"

namespace parallel_pool::platform {

bool IsMainThread() {
  return gettid() == getpid();
}

void WaitForStarter(int pid, int) {
  try {
    const ProcessWatch watch(pid);
    while (!watch.HasEnded(std::chrono::hours(1))) {}
  } catch (const std::runtime_error&) {  // it cannot be watched
  }
}

ProcessWatch::ProcessWatch(int pid)
    : pid_(pid), descriptor_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {
  if (descriptor_ < 0 && errno != ESRCH) {
    throw std::runtime_error("process " + std::to_string(pid) + ": " + std::strerror(errno));
  }
}

ProcessWatch::~ProcessWatch() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool ProcessWatch::HasEnded(std::chrono::milliseconds limit) const {
  if (descriptor_ < 0) return true;
  pollfd end{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return poll(&end, 1, static_cast<int>(std::min<int64_t>(limit.count(), INT_MAX))) > 0;
}

std::string ProcessWatch::HowEnded() const {
  siginfo_t info{};
  if (waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(descriptor_), &info,
             WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0) {
    return "";
  }
  return info.si_code == CLD_EXITED ? "with exit code " + std::to_string(info.si_status)
                                    : std::string("by signal ") + strsignal(info.si_status);
}

}  // namespace parallel_pool::platform
