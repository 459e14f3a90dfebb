/* Functions of glibc 2.29 to 2.36 that our code or libstdc++.a calls, made of older ones. They are
 * hidden: each library that is linked with the stand-ins of stubs.py has its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The names of stat() and its kin before 2.33, each with the version of the struct. */
int __xstat(int version, const char* path, struct stat* out);
int __lxstat(int version, const char* path, struct stat* out);
int __fxstat(int version, int file, struct stat* out);
int __fxstat64(int version, int file, struct stat64* out);
int __fxstatat(int version, int folder, const char* path, struct stat* out, int flags);
#if defined(__x86_64__)
#define STAT_VERSION 1
#else
#define STAT_VERSION 0
#endif

#pragma GCC visibility push(hidden)

/* 2.32: whether the process has one thread. Zero, "perhaps not", makes shared_ptr count by atomic
 * instructions. */
char __libc_single_threaded = 0;

/* 2.30 */
pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

/* 2.36: random bits for std::random_device. */
unsigned arc4random(void) {
  unsigned value = 0;
  size_t done = 0;
  while (done < sizeof value) {
    const ssize_t n = getrandom((char*)&value + done, sizeof value - done, 0);
    if (n < 0 && errno != EINTR) abort();
    if (n > 0) done += (size_t)n;
  }
  return value;
}

/* 2.33 */
int stat(const char* path, struct stat* out) { return __xstat(STAT_VERSION, path, out); }
int lstat(const char* path, struct stat* out) { return __lxstat(STAT_VERSION, path, out); }
int fstat(int file, struct stat* out) { return __fxstat(STAT_VERSION, file, out); }
int fstat64(int file, struct stat64* out) { return __fxstat64(STAT_VERSION, file, out); }
int fstatat(int folder, const char* path, struct stat* out, int flags) {
  return __fxstatat(STAT_VERSION, folder, path, out, flags);
}

/* 2.30: a wait until a time of `clock`. The glibc of this process has it, or else we wait for the
 * same duration on the wall clock, which is right unless somebody sets that clock meanwhile. */
static struct timespec OnWallClock(clockid_t clock, const struct timespec* until) {
  struct timespec now, wall;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &wall);
  wall.tv_sec += until->tv_sec - now.tv_sec;
  wall.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (wall.tv_nsec < 0) {
    wall.tv_nsec += 1000000000;
    --wall.tv_sec;
  } else if (wall.tv_nsec >= 1000000000) {
    wall.tv_nsec -= 1000000000;
    ++wall.tv_sec;
  }
  return wall;
}

typedef int (*CondWait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
typedef int (*MutexLock)(pthread_mutex_t*, clockid_t, const struct timespec*);

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  const CondWait wait = (CondWait)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
  if (wait) return wait(condition, mutex, clock, until);
  const struct timespec wall = OnWallClock(clock, until);
  return pthread_cond_timedwait(condition, mutex, &wall);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  const MutexLock lock = (MutexLock)dlsym(RTLD_DEFAULT, "pthread_mutex_clocklock");
  if (lock) return lock(mutex, clock, until);
  const struct timespec wall = OnWallClock(clock, until);
  return pthread_mutex_timedlock(mutex, &wall);
}

#pragma GCC visibility pop
