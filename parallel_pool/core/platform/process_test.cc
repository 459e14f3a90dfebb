#include "parallel_pool/core/platform/process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace parallel_pool::platform {
namespace {

using std::chrono::milliseconds;
constexpr std::chrono::hours kLong{1};

// A child of this process that runs a function and ends.
int Fork(const std::function<void()>& run) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  run();
  _exit(3);
}

void Reap(int pid) {
  EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
}

TEST(ProcessWatch, WaitsForTheEndOfAChild) {
  const int pid = Fork([] { std::this_thread::sleep_for(milliseconds(50)); });
  const ProcessWatch watch(pid);
  EXPECT_EQ(watch.pid(), pid);
  EXPECT_FALSE(watch.HasEnded(milliseconds(0)));
  EXPECT_EQ(watch.HowEnded(), "");
  EXPECT_TRUE(watch.HasEnded(kLong));
  EXPECT_EQ(watch.HowEnded(), "with exit code 3");
  EXPECT_TRUE(watch.HasEnded(milliseconds(0)));
  Reap(pid);  // the watch has left that to us
  EXPECT_TRUE(watch.HasEnded(milliseconds(0)));
  EXPECT_EQ(watch.HowEnded(), "");
}

TEST(ProcessWatch, EndsAChild) {
  const int pid = Fork([] { pause(); });
  const ProcessWatch watch(pid);
  watch.Kill();
  EXPECT_TRUE(watch.HasEnded(kLong));
  EXPECT_EQ(watch.HowEnded(), std::string("by signal ") + strsignal(SIGKILL));
  Reap(pid);
}

TEST(ProcessWatch, SeesThatAProcessHasEndedBefore) {
  const int pid = Fork([] {});
  Reap(pid);
  const ProcessWatch watch(pid);
  EXPECT_TRUE(watch.HasEnded(milliseconds(0)));
  EXPECT_EQ(watch.HowEnded(), "");
}

// The child of a child, as a fork server's.
TEST(ProcessWatch, WaitsForTheEndOfAnotherProcess) {
  std::array<int, 2> ready{}, go{};
  ASSERT_TRUE(pipe(ready.data()) == 0 && pipe(go.data()) == 0);
  const int server = Fork([&] {
    const int child = Fork([&] {
      char byte;
      _exit(read(go[0], &byte, 1) == 1 ? 5 : 6);
    });
    if (write(ready[1], &child, sizeof child) != sizeof child) _exit(1);
    waitpid(child, nullptr, 0);
  });
  int child = 0;
  ASSERT_EQ(read(ready[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  const ProcessWatch watch(child);
  EXPECT_FALSE(watch.HasEnded(milliseconds(10)));
  ASSERT_EQ(write(go[1], "g", 1), 1);
  EXPECT_TRUE(watch.HasEnded(kLong));
  EXPECT_EQ(watch.HowEnded(), "");
  Reap(server);
  for (const int end : {ready[0], ready[1], go[0], go[1]}) close(end);
}

// Waits for a process that has ended, and whose end this process does not ask for. `is_child`:
// whether that has started the process that waits; else it is a fork server's, and has its lifeline
// only.
void WaitForAStarter(bool is_child) {
  std::array<int, 2> ready{}, done{}, lifeline{};
  ASSERT_TRUE(pipe(ready.data()) == 0 && pipe(done.data()) == 0 && pipe(lifeline.data()) == 0);
  int starter = 0;
  const auto wait = [&] {
    if (!is_child) close(lifeline[1]);
    if (write(ready[1], "r", 1) != 1) _exit(1);
    WaitForStarter(is_child ? getppid() : starter, lifeline[0]);
    _exit(write(done[1], "d", 1) == 1 ? 0 : 1);
  };
  starter = Fork([&] {
    if (is_child) Fork(wait);
    pause();
  });
  const int other = is_child ? 0 : Fork(wait);
  close(lifeline[1]);
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  std::this_thread::sleep_for(milliseconds(20));
  ASSERT_EQ(kill(starter, SIGKILL), 0);
  ASSERT_EQ(read(done[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'd');
  Reap(starter);
  if (other != 0) Reap(other);
  for (const int end : {ready[0], ready[1], done[0], done[1], lifeline[0]}) close(end);
}

TEST(Process, WaitsForItsParent) {
  WaitForAStarter(true);
}

TEST(Process, WaitsForTheStarterOfItsForkServer) {
  WaitForAStarter(false);
}

TEST(Process, OneThreadIsTheMainThread) {
  EXPECT_EQ(ProcessId(), getpid());
  EXPECT_TRUE(IsMainThread());
  std::thread([] {
    EXPECT_FALSE(IsMainThread());
    const int pid = Fork([] { _exit(IsMainThread() ? 0 : 1); });  // that of the child
    int status = -1;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }).join();
}

int forks = 0;

TEST(Process, TellsForkedChildren) {
  OnFork([] { ++forks; });
  const int pid = Fork([] { _exit(forks); });
  int status = -1;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(forks, 0);
}

TEST(Process, EndsItsGroup) {
  const int pid = Fork([] {
    setpgid(0, 0);
    Fork([] { pause(); });
    KillGroup();
  });
  int status = -1;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

}  // namespace
}  // namespace parallel_pool::platform
