#include "parallel_pool/envs/nethack/engine/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace parallel_pool::nethack {
namespace {

// A game that writes more than this into one file has gone wrong.
constexpr size_t kMostBytes = size_t{64} << 20;

std::string_view LastPart(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

int Fail(int error) {
  errno = error;
  return -1;
}

}  // namespace

void Files::Reset(std::span<const char* const> empty, std::span<const uint8_t> nhdat) {
  files_.clear();
  descriptors_.fill({});
  streams_.fill({-1, EOF});
  for (const char* name : empty) files_.push_back({name, {}, {}});
  files_.push_back({"nhdat", {}, nhdat});
}

int Files::IndexOf(std::string_view path) const {
  const auto found = std::ranges::find(files_, LastPart(path), &File::name);
  return found == files_.end() ? -1 : static_cast<int>(found - files_.begin());
}

const Files::File* Files::Find(std::string_view path) const {
  const int index = IndexOf(path);
  return index < 0 ? nullptr : &files_[static_cast<size_t>(index)];
}

Files::Descriptor* Files::At(int descriptor) {
  const int i = descriptor - kFirst;
  if (i >= 0 && i < kMostOpen && descriptors_[static_cast<size_t>(i)].file >= 0) {
    return &descriptors_[static_cast<size_t>(i)];
  }
  errno = EBADF;
  return nullptr;
}

int Files::OpenIndex(int file) {
  const auto free = std::ranges::find(descriptors_, -1, &Descriptor::file);
  if (free == descriptors_.end()) return Fail(EMFILE);
  *free = {file, 0};
  return kFirst + static_cast<int>(free - descriptors_.begin());
}

// The index of a file that was removed and is not open, or of a new one.
int Files::FreeIndex() {
  for (size_t i = 0; i < files_.size(); ++i) {
    const int index = static_cast<int>(i);
    if (files_[i].name.empty() &&
        std::ranges::find(descriptors_, index, &Descriptor::file) == descriptors_.end()) {
      return index;
    }
  }
  files_.emplace_back();
  return static_cast<int>(files_.size()) - 1;
}

int Files::Open(std::string_view path, int flags) {
  int index = IndexOf(path);
  if (index >= 0 && (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) return Fail(EEXIST);
  if (index < 0) {
    if ((flags & O_CREAT) == 0) return Fail(ENOENT);
    index = FreeIndex();
    files_[static_cast<size_t>(index)] = {std::string(LastPart(path)), {}, {}};
  }
  if ((flags & O_TRUNC) != 0) files_[static_cast<size_t>(index)].written.clear();
  return OpenIndex(index);
}

int Files::Close(int descriptor) {
  Descriptor* const open = At(descriptor);
  if (open == nullptr) return -1;
  *open = {};
  return 0;
}

ssize_t Files::Read(int descriptor, void* data, size_t bytes) {
  Descriptor* const open = At(descriptor);
  if (open == nullptr) return -1;
  const auto all = files_[static_cast<size_t>(open->file)].bytes();
  const auto rest = all.subspan(std::min(open->position, all.size()));
  bytes = std::min(bytes, rest.size());
  if (bytes > 0) std::memcpy(data, rest.data(), bytes);
  open->position += bytes;
  return static_cast<ssize_t>(bytes);
}

ssize_t Files::Write(int descriptor, const void* data, size_t bytes) {
  Descriptor* const open = At(descriptor);
  if (open == nullptr) return -1;
  File& file = files_[static_cast<size_t>(open->file)];
  if (file.constant.data() != nullptr) return Fail(EACCES);
  const size_t end = open->position + bytes;
  if (end > kMostBytes) return Fail(ENOSPC);
  if (end > file.written.size()) file.written.resize(end);
  if (bytes > 0) std::memcpy(file.written.data() + open->position, data, bytes);
  open->position = end;
  return static_cast<ssize_t>(bytes);
}

off_t Files::Seek(int descriptor, off_t offset, int whence) {
  Descriptor* const open = At(descriptor);
  if (open == nullptr) return -1;
  const size_t from = whence == SEEK_SET   ? 0
                      : whence == SEEK_CUR ? open->position
                                           : files_[static_cast<size_t>(open->file)].bytes().size();
  const off_t position = static_cast<off_t>(from) + offset;
  if (position < 0) return Fail(EINVAL);
  open->position = static_cast<size_t>(position);
  return position;
}

int Files::Unlink(std::string_view path) {
  const int index = IndexOf(path);
  if (index < 0) return Fail(ENOENT);
  files_[static_cast<size_t>(index)].name.clear();  // its bytes stay for open descriptors
  return 0;
}

int Files::Rename(std::string_view from, std::string_view to) {
  const int index = IndexOf(from);
  if (index < 0) return Fail(ENOENT);
  const std::string name(LastPart(to));
  if (name != LastPart(from)) Unlink(name);
  files_[static_cast<size_t>(index)].name = name;
  return 0;
}

Files::Stream* Files::OpenStream(int descriptor) {
  if (At(descriptor) == nullptr) return nullptr;
  Stream& stream = streams_[static_cast<size_t>(descriptor - kFirst)];
  stream = {descriptor, EOF};
  return &stream;
}

Files::Stream* Files::OpenBytes(std::span<const uint8_t> bytes) {
  const int descriptor = Open("(bytes)", O_CREAT | O_TRUNC);
  if (descriptor < 0) return nullptr;
  Write(descriptor, bytes.data(), bytes.size());
  Seek(descriptor, 0, SEEK_SET);
  return OpenStream(descriptor);
}

Files::Stream* Files::StreamOf(FILE* file) {
  auto* const stream = reinterpret_cast<Stream*>(file);
  return stream >= streams_.data() && stream < streams_.data() + streams_.size() ? stream : nullptr;
}

std::span<const uint8_t> Files::Rest(const Stream& stream) const {
  const Descriptor& open = descriptors_[static_cast<size_t>(stream.descriptor - kFirst)];
  if (open.file < 0) return {};
  const auto all = files_[static_cast<size_t>(open.file)].bytes();
  return all.subspan(std::min(open.position, all.size()));
}

}  // namespace parallel_pool::nethack
