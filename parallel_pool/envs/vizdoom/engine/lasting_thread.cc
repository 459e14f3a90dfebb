#include "parallel_pool/envs/vizdoom/engine/lasting_thread.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace parallel_pool::vizdoom {
namespace {

class LastingThread {
 public:
  // Starts with all signals blocked, so that handlers of the host never run on it.
  LastingThread() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { Loop(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void Run(const std::function<void()>& job) {
    const std::lock_guard one_caller(callers_);
    std::unique_lock lock(mutex_);
    job_ = &job;
    changed_.notify_all();
    changed_.wait(lock, [this] { return job_ == nullptr; });
  }

 private:
  void Loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return job_ != nullptr; });
      (*job_)();
      job_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex callers_, mutex_;
  std::condition_variable changed_;
  const std::function<void()>* job_ = nullptr;
};

// Never destroyed, because the thread does not end. A forked child has no threads of its parent, so
// it gets a thread of its own.
LastingThread& OfThisProcess() {
  static std::mutex mutex;
  static LastingThread* thread = nullptr;
  static pid_t owner = 0;
  const std::lock_guard lock(mutex);
  if (owner != getpid()) {
    thread = new LastingThread;
    owner = getpid();
  }
  return *thread;
}

}  // namespace

void RunOnLastingThread(const std::function<void()>& job) {
  OfThisProcess().Run(job);
}

}  // namespace parallel_pool::vizdoom
