// Linux's answers that processors_linux.cc must take.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/platform/processors.h"

namespace parallel_pool::platform {
namespace {

bool many_processors = false;  // whether sched_getaffinity, below, pretends so

TEST(Processors, AreReadFromMasksOfAnySize) {
  many_processors = true;
  const std::vector<int> processors = UsableProcessors();
  many_processors = false;
  EXPECT_EQ(processors, std::vector<int>({5000, 6000}));
}

TEST(Pin, KeepsAThreadOnItsProcessors) {
  const int processor = sched_getcpu();
  std::thread([processor] {
    Pin(ThisThread(), {});
    Pin(ThisThread(), {processor});
    EXPECT_EQ(sched_getcpu(), processor);
    Pin(ThisThread(), {60'000});  // no such processor: refused
    EXPECT_EQ(sched_getcpu(), processor);
  }).join();
}

}  // namespace
}  // namespace parallel_pool::platform

// Replaces the C library's function: with many_processors, the answer of a system with 2^14.
extern "C" int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t* mask) noexcept {
  std::memset(mask, 0, bytes);
  if (!parallel_pool::platform::many_processors) {
    return syscall(SYS_sched_getaffinity, pid, bytes, mask) < 0 ? -1 : 0;
  }
  if (bytes < (1 << 14) / 8) {
    errno = EINVAL;
    return -1;
  }
  CPU_SET_S(5000, bytes, mask);
  CPU_SET_S(6000, bytes, mask);
  return 0;
}
