#include "parallel_pool/envs/vizdoom/engine/lasting_thread.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <mutex>
#include <thread>

namespace parallel_pool::vizdoom {
namespace {

class Semaphore {
 public:
  Semaphore() { sem_init(&semaphore_, 0, 0); }
  void Post() { sem_post(&semaphore_); }
  void Wait() {
    while (sem_wait(&semaphore_) != 0) {}  // a signal has interrupted it
  }

 private:
  sem_t semaphore_;
};

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
    job_ = &job;
    has_job_.Post();
    is_done_.Wait();
  }

 private:
  void Loop() {
    while (true) {
      has_job_.Wait();
      (*job_)();
      is_done_.Post();
    }
  }

  std::mutex callers_;
  Semaphore has_job_, is_done_;
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
