// The files of a game, in memory. A file is known by the last part of its path, because all files
// of a game lie in one folder.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parallel_pool::nethack {

class Files {
 public:
  // An open file as NetHack sees it: the functions of stdio get it in place of a FILE.
  struct Stream {
    int descriptor;  // -1: closed
    int pushed;      // the character of ungetc; EOF: none
  };

  // Removes all files, and adds empty ones of the given names, and `nhdat` with the given bytes,
  // which outlive the game.
  void Reset(std::span<const char* const> empty, std::span<const uint8_t> nhdat);

  // As the functions of POSIX with these names: -1 and errno if they fail.
  int Open(std::string_view path, int flags);
  int Close(int descriptor);
  ssize_t Read(int descriptor, void* data, size_t bytes);
  ssize_t Write(int descriptor, const void* data, size_t bytes);
  off_t Seek(int descriptor, off_t offset, int whence);
  int Unlink(std::string_view path);
  int Rename(std::string_view from, std::string_view to);
  bool Exists(std::string_view path) const { return Find(path) != nullptr; }

  // A stream of an open file; nullptr for -1.
  Stream* OpenStream(int descriptor);
  // A stream of a file without a name that has these bytes; nullptr if too many files are open.
  Stream* OpenBytes(std::span<const uint8_t> bytes);
  // The stream that `file` is; nullptr for another one, such as stdout.
  Stream* StreamOf(FILE* file);
  // The bytes of the stream from its position on.
  std::span<const uint8_t> Rest(const Stream& stream) const;

 private:
  struct File {
    std::string name;
    std::vector<uint8_t> written;
    std::span<const uint8_t> constant;  // the bytes, if they are not `written`
    std::span<const uint8_t> bytes() const { return constant.data() ? constant : written; }
  };
  struct Descriptor {
    int file = -1;  // an index; -1: closed
    size_t position = 0;
  };
  // Numbers of descriptors begin here: 1 and 2 are the terminal.
  static constexpr int kFirst = 100, kMostOpen = 32;

  const File* Find(std::string_view path) const;
  int IndexOf(std::string_view path) const;  // -1: none
  Descriptor* At(int descriptor);            // nullptr and errno if it is not open
  int OpenIndex(int file);
  int FreeIndex();

  std::vector<File> files_;
  std::array<Descriptor, kMostOpen> descriptors_;
  std::array<Stream, kMostOpen> streams_;  // parallel to descriptors_
};

}  // namespace parallel_pool::nethack
