#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "parallel_pool/envs/nethack/engine/imports.h"

namespace parallel_pool::nethack {
namespace {

FILE* AsFile(Files::Stream* stream) {
  return reinterpret_cast<FILE*>(stream);
}

// Streams. NetHack's stdin, stdout and stderr are the C library's, which these functions leave
// alone.

FILE* Fopen(const char* path, const char* mode) {
  const int create = *mode == 'r' ? 0 : O_CREAT;
  const int descriptor = GameFiles().Open(path, create | (*mode == 'w' ? O_TRUNC : 0));
  if (descriptor >= 0 && *mode == 'a') GameFiles().Seek(descriptor, 0, SEEK_END);
  return AsFile(GameFiles().OpenStream(descriptor));
}

FILE* Fdopen(int descriptor, const char*) {
  return AsFile(GameFiles().OpenStream(descriptor));
}

FILE* Fmemopen(void* data, size_t bytes, const char*) {
  return AsFile(GameFiles().OpenBytes({static_cast<const uint8_t*>(data), bytes}));
}

int Fclose(FILE* file) {
  Files::Stream* const stream = GameFiles().StreamOf(file);
  return stream == nullptr ? 0 : GameFiles().Close(stream->descriptor);
}

size_t Fread(void* data, size_t bytes, size_t count, FILE* file) {
  Files::Stream* const stream = GameFiles().StreamOf(file);
  if (stream == nullptr || bytes == 0 || count == 0) return 0;
  auto* out = static_cast<uint8_t*>(data);
  size_t read = 0;
  if (stream->pushed != EOF) {
    out[read++] = static_cast<uint8_t>(stream->pushed);
    stream->pushed = EOF;
  }
  const ssize_t more = GameFiles().Read(stream->descriptor, out + read, bytes * count - read);
  return (read + static_cast<size_t>(std::max<ssize_t>(more, 0))) / bytes;
}

size_t Fwrite(const void* data, size_t bytes, size_t count, FILE* file) {
  Files::Stream* const stream = GameFiles().StreamOf(file);
  if (stream == nullptr || bytes == 0) return count;
  const ssize_t written = GameFiles().Write(stream->descriptor, data, bytes * count);
  return static_cast<size_t>(std::max<ssize_t>(written, 0)) / bytes;
}

int Fgetc(FILE* file) {
  uint8_t character = 0;
  return Fread(&character, 1, 1, file) == 1 ? character : EOF;
}

int Ungetc(int character, FILE* file) {
  Files::Stream* const stream = GameFiles().StreamOf(file);
  if (stream != nullptr) stream->pushed = character;
  return character;
}

char* Fgets(char* line, int size, FILE* file) {
  int length = 0;
  while (length < size - 1) {
    const int character = Fgetc(file);
    if (character == EOF) break;
    line[length++] = static_cast<char>(character);
    if (character == '\n') break;
  }
  if (length == 0) return nullptr;
  line[length] = 0;
  return line;
}

int Fputc(int character, FILE* file) {
  const auto byte = static_cast<uint8_t>(character);
  Fwrite(&byte, 1, 1, file);
  return character;
}

int Fputs(const char* text, FILE* file) {
  Fwrite(text, 1, std::strlen(text), file);
  return 1;
}

int Fprintf(FILE* file, const char* format, ...) {
  char text[4096];
  va_list values;
  va_start(values, format);
  const int length = std::vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  if (length > 0) Fwrite(text, 1, std::min(static_cast<size_t>(length), sizeof(text) - 1), file);
  return length;
}

int Fseek(FILE* file, long offset, int whence) {
  Files::Stream* const stream = GameFiles().StreamOf(file);
  if (stream == nullptr) return -1;
  if (whence == SEEK_CUR && stream->pushed != EOF) --offset;
  stream->pushed = EOF;
  return GameFiles().Seek(stream->descriptor, offset, whence) < 0 ? -1 : 0;
}

long Ftell(FILE* file) {
  Files::Stream* const stream = GameFiles().StreamOf(file);
  if (stream == nullptr) return -1;
  return GameFiles().Seek(stream->descriptor, 0, SEEK_CUR) - (stream->pushed != EOF ? 1 : 0);
}

void Rewind(FILE* file) {
  Fseek(file, 0, SEEK_SET);
}

int Fscanf(FILE* file, const char* format, ...) {
  Files::Stream* const stream = GameFiles().StreamOf(file);
  if (stream == nullptr) return EOF;
  Fseek(file, 0, SEEK_CUR);  // the pushed character is the last one that was read
  const auto rest = GameFiles().Rest(*stream);
  if (rest.empty()) return EOF;
  FILE* const copy = fmemopen(const_cast<uint8_t*>(rest.data()), rest.size(), "r");
  if (copy == nullptr) return EOF;
  va_list values;
  va_start(values, format);
  const int count = std::vfscanf(copy, format, values);
  va_end(values);
  GameFiles().Seek(stream->descriptor, std::ftell(copy), SEEK_CUR);
  std::fclose(copy);
  return count;
}

int Fileno(FILE* file) {
  Files::Stream* const stream = GameFiles().StreamOf(file);
  return stream == nullptr ? STDOUT_FILENO : stream->descriptor;
}

}  // namespace

Imports StreamImports() {
  return {
      {"fopen", Address(Fopen)},   {"fdopen", Address(Fdopen)},   {"fmemopen", Address(Fmemopen)},
      {"fclose", Address(Fclose)}, {"fread", Address(Fread)},     {"fwrite", Address(Fwrite)},
      {"fgetc", Address(Fgetc)},   {"_IO_getc", Address(Fgetc)},  {"ungetc", Address(Ungetc)},
      {"fgets", Address(Fgets)},   {"fputc", Address(Fputc)},     {"_IO_putc", Address(Fputc)},
      {"fputs", Address(Fputs)},   {"fprintf", Address(Fprintf)}, {"fscanf", Address(Fscanf)},
      {"fseek", Address(Fseek)},   {"ftell", Address(Ftell)},     {"rewind", Address(Rewind)},
      {"fflush", Address(Zero)},   {"ferror", Address(Zero)},     {"clearerr", Address(Nothing)},
      {"fileno", Address(Fileno)}, {"perror", Address(Nothing)},
  };
}

}  // namespace parallel_pool::nethack
