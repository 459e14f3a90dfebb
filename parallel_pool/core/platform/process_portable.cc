#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "parallel_pool/core/platform/process.h"

namespace parallel_pool::platform {
namespace {

// The time between two looks at another process grows to this.
constexpr std::chrono::milliseconds kLongestSleep{50};

#ifndef __APPLE__
// The thread that has loaded this library, or that has forked this process.
std::atomic<std::thread::id> main_thread;

void KeepMainThread() {
  main_thread = std::this_thread::get_id();
}

[[maybe_unused]] const bool is_kept = [] {
  KeepMainThread();
  pthread_atfork(nullptr, nullptr, KeepMainThread);
  return true;
}();
#endif

// How a child of this process has ended, if `info` is filled in. Whether it is a child.
bool LookAtChild(int pid, siginfo_t* info) {
  *info = {};
  return waitid(P_PID, static_cast<id_t>(pid), info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool IsGone(int pid) {
  siginfo_t info;
  if (LookAtChild(pid, &info)) return info.si_pid != 0;
  return kill(pid, 0) != 0 && errno == ESRCH;
}

}  // namespace

bool IsMainThread() {
#ifdef __APPLE__
  return pthread_main_np() != 0;
#else
  return std::this_thread::get_id() == main_thread;
#endif
}

// The number of a process that has ended is another's only after its own parent has asked how. But
// a pipe hangs up at once, unless other children have its end, too; then these get another parent.
void WaitForStarter(int pid, int lifeline) {
  const int parent = getppid();
  pollfd end{.fd = lifeline, .events = 0, .revents = 0};
  while (!IsGone(pid) && getppid() == parent) {
    if (poll(&end, 1, static_cast<int>(kLongestSleep.count())) <= 0) continue;
    if ((end.revents & POLLHUP) != 0) return;
    end.fd = -1;  // it was closed here: this process is about to end
  }
}

ProcessWatch::ProcessWatch(int pid) : pid_(pid), descriptor_(-1) {}

ProcessWatch::~ProcessWatch() = default;

bool ProcessWatch::HasEnded(std::chrono::milliseconds limit) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for (std::chrono::milliseconds sleep{1}; !IsGone(pid_);
       sleep = std::min(2 * sleep, kLongestSleep)) {
    if (Clock::now() - begin >= limit) return false;
    std::this_thread::sleep_for(std::min(sleep, limit));
  }
  return true;
}

std::string ProcessWatch::HowEnded() const {
  siginfo_t info;
  if (!LookAtChild(pid_, &info) || info.si_pid == 0) return "";
  return info.si_code == CLD_EXITED ? "with exit code " + std::to_string(info.si_status)
                                    : std::string("by signal ") + strsignal(info.si_status);
}

}  // namespace parallel_pool::platform
