#include "parallel_pool/envs/vizdoom/engine/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "parallel_pool/envs/vizdoom/engine/lasting_thread.h"

namespace parallel_pool::vizdoom {
namespace {

// The child of vfork, which shares this process's memory until execv: it calls the system only.
// Returns the error.
int BecomeProgram(const char* program, char* const* arguments, const char* folder, pid_t owner) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != owner) return ESRCH;  // it ended before the call above
  setpgid(0, 0);
  if (chdir(folder) != 0) return errno;
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing < 0) return errno;
  for (const int number : {0, 1, 2}) {
    if (dup2(nothing, number) < 0) return errno;
  }
  syscall(SYS_close_range, 3, ~0U, 0);  // files and sockets of the host
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(program, arguments);
  return errno;
}

}  // namespace

Process::Process(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                 const std::filesystem::path& folder) {
  const pid_t owner = getpid();
  std::vector<char*> pointers = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  volatile int error = 0;  // the child writes it
  RunOnLastingThread([&] {
    id_ = vfork();
    if (id_ == 0) {
      error = BecomeProgram(program.c_str(), pointers.data(), folder.c_str(), owner);
      _exit(127);
    }
    if (id_ < 0) error = errno;
  });
  if (error == 0) return;
  if (id_ > 0) waitpid(id_, nullptr, 0);
  throw std::runtime_error(program.string() + " cannot be started: " + std::strerror(error));
}

Process::~Process() {
  Kill();
}

bool Process::IsRunning() {
  if (has_ended_) return false;
  pid_t found;
  do {
    found = waitpid(id_, &status_, WNOHANG);
  } while (found < 0 && errno == EINTR);
  has_ended_ = found != 0;  // -1: the host has waited for it
  return !has_ended_;
}

void Process::Kill() {
  if (has_ended_) return;
  kill(id_, SIGKILL);
  while (waitpid(id_, &status_, 0) < 0 && errno == EINTR) {}
  has_ended_ = true;
}

std::string Process::HowItEnded() const {
  if (WIFSIGNALED(status_)) return "was killed by signal " + std::to_string(WTERMSIG(status_));
  return "ended with status " + std::to_string(WEXITSTATUS(status_));
}

}  // namespace parallel_pool::vizdoom
