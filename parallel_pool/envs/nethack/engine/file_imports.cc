#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "parallel_pool/envs/nethack/engine/imports.h"

namespace parallel_pool::nethack {
namespace {

int Open(const char* path, int flags, ...) {
  return GameFiles().Open(path, flags);
}

int Creat(const char* path, mode_t) {
  return GameFiles().Open(path, O_CREAT | O_WRONLY | O_TRUNC);
}

int Close(int descriptor) {
  return GameFiles().Close(descriptor);
}

ssize_t Read(int descriptor, void* data, size_t bytes) {
  return GameFiles().Read(descriptor, data, bytes);
}

// Texts for the terminal are dropped: nle has a terminal of its own.
ssize_t Write(int descriptor, const void* data, size_t bytes) {
  if (descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO)
    return static_cast<ssize_t>(bytes);
  return GameFiles().Write(descriptor, data, bytes);
}

off_t Lseek(int descriptor, off_t offset, int whence) {
  return GameFiles().Seek(descriptor, offset, whence);
}

int Unlink(const char* path) {
  return GameFiles().Unlink(path);
}

int Rename(const char* from, const char* to) {
  return GameFiles().Rename(from, to);
}

int Access(const char* path, int) {
  if (GameFiles().Exists(path)) return 0;
  errno = ENOENT;
  return -1;
}

char* Getcwd(char* folder, size_t) {
  return std::strcpy(folder, "/");
}

}  // namespace

Imports FileImports() {
  return {
      {"open", Address(Open)},          {"creat", Address(Creat)},
      {"close", Address(Close)},        {"read", Address(Read)},
      {"write", Address(Write)},        {"lseek", Address(Lseek)},
      {"unlink", Address(Unlink)},      {"rename", Address(Rename)},
      {"access", Address(Access)},      {"chmod", Address(Zero)},
      {"fcntl", Address(Zero)},         {"isatty", Address(Zero)},
      {"ioctl", Address(MinusOne)},     {"tcgetattr", Address(MinusOne)},
      {"tcsetattr", Address(MinusOne)}, {"getcwd", Address(Getcwd)},
  };
}

}  // namespace parallel_pool::nethack
