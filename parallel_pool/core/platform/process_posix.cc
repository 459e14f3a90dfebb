// The functions of process.h that are the same on all systems of POSIX.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "parallel_pool/core/platform/process.h"

namespace parallel_pool::platform {

int ProcessId() {
  return getpid();
}

void OnFork(void (*then)()) {
  pthread_atfork(nullptr, nullptr, then);
}

void KillGroup() {
  kill(0, SIGKILL);
}

void ProcessWatch::Kill() const {
  kill(pid_, SIGKILL);
}

}  // namespace parallel_pool::platform
