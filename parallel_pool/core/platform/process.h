// This process, and the end of others.
//
// process_linux.cc waits for the end of a process with a pidfd, which names no other process later.
// process_portable.cc asks again and again.
#pragma once

#include <chrono>
#include <string>

namespace parallel_pool::platform {

int ProcessId();
// Whether the caller is the main thread, the only one in which Python handles signals.
bool IsMainThread();
// Calls `then` in each forked child from now on.
void OnFork(void (*then)());
// Returns when process `pid`, which has started this one, by itself or by a fork server, has ended.
// `lifeline` is a pipe whose other end that process has open as long as it lives.
void WaitForStarter(int pid, int lifeline);
// Ends this process and all of its process group at once.
void KillGroup();

// Watches another process.
class ProcessWatch {
 public:
  // It may have ended already. Throws std::runtime_error if the system does not let it be watched.
  explicit ProcessWatch(int pid);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  int pid() const { return pid_; }
  // Whether it ends within `limit`; false, too, if a signal comes.
  bool HasEnded(std::chrono::milliseconds limit) const;
  // How it has ended: "with exit code 3", "by signal Killed"; "" if only its parent knows.
  std::string HowEnded() const;
  void Kill() const;

 private:
  const int pid_;
  const int descriptor_;  // a pidfd; -1: there is none
};

}  // namespace parallel_pool::platform
