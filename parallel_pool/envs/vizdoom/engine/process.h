// A child process that never outlives its owner.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace parallel_pool::vizdoom {

// Not for use by several threads at the same time.
class Process {
 public:
  // Starts `program` in `folder`, in a process group of its own, so that Ctrl-C does not reach it.
  // It reads and prints nothing. The system ends it when this process ends. Throws
  // std::runtime_error if it cannot be started.
  Process(const std::filesystem::path& program, const std::vector<std::string>& arguments,
          const std::filesystem::path& folder);
  // Kills it.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool IsRunning();
  void Kill();
  // How it ended, such as "was killed by signal 9"; only if it does not run.
  std::string HowItEnded() const;
  pid_t id() const { return id_; }

 private:
  pid_t id_ = -1;
  bool has_ended_ = false;
  int status_ = 0;  // of waitpid
};

}  // namespace parallel_pool::vizdoom
