#include "parallel_pool/envs/vizdoom/engine/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace parallel_pool::vizdoom {
namespace {

[[noreturn]] void Fail(const std::string& what, const std::string& name, int error) {
  throw std::runtime_error("shared memory /dev/shm/" + name + " cannot be " + what + ": " +
                           std::strerror(error));
}

// Closes the file at the end; a mapping stays.
class File {
 public:
  File(const std::string& name, int flags, const char* what)
      : number_(shm_open(("/" + name).c_str(), flags | O_CLOEXEC, 0600)) {
    if (number_ < 0) Fail(what, name, errno);
  }
  ~File() { close(number_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int number() const { return number_; }

 private:
  const int number_;
};

void* Map(const File& file, const std::string& name, size_t size) {
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) Fail("mapped", name, errno);
  return memory;
}

}  // namespace

void* CreateSharedFile(const std::string& name, size_t size) {
  const File file(name, O_CREAT | O_EXCL | O_RDWR, "created");
  // Allocates the memory, so that a full /dev/shm is an error here and not a signal later.
  int error = posix_fallocate(file.number(), 0, static_cast<off_t>(size));
  if (error == 0) {
    try {
      return Map(file, name, size);
    } catch (...) {
      UnlinkSharedFile(name);
      throw;
    }
  }
  UnlinkSharedFile(name);
  Fail("created", name, error);
}

void* OpenSharedFile(const std::string& name, size_t& size) {
  const File file(name, O_RDWR, "opened");
  struct stat about{};
  if (fstat(file.number(), &about) != 0) Fail("opened", name, errno);
  size = static_cast<size_t>(about.st_size);
  return Map(file, name, size);
}

void AllocateSharedFile(const std::string& name, size_t offset, size_t size) {
  const File file(name, O_RDWR, "opened");
  const int error =
      posix_fallocate(file.number(), static_cast<off_t>(offset), static_cast<off_t>(size));
  if (error != 0) Fail("enlarged", name, error);
}

bool SharedMemoryIsFull() noexcept {
  constexpr unsigned long kLeast = 256 << 10;  // bytes; an engine takes more
  struct statvfs about{};
  return statvfs("/dev/shm", &about) == 0 && about.f_bavail * about.f_frsize < kLeast;
}

void UnlinkSharedFile(const std::string& name) noexcept {
  shm_unlink(("/" + name).c_str());
}

void UnmapSharedFile(void* memory, size_t size) noexcept {
  munmap(memory, size);
}

}  // namespace parallel_pool::vizdoom
