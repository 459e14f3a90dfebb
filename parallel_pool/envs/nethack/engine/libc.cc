#include "parallel_pool/envs/nethack/engine/libc.h"

#include <ctype.h>
#include <fcntl.h>
#include <pwd.h>
#include <regex.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <unordered_map>

#include "parallel_pool/envs/nethack/engine/game.h"

namespace parallel_pool::nethack {
namespace {

Arena& arena() {
  return Game::Current().arena();
}

Files& files() {
  return Game::Current().files();
}

FILE* AsFile(Files::Stream* stream) {
  return reinterpret_cast<FILE*>(stream);
}

// Memory.

void* Malloc(size_t bytes) {
  return arena().Allocate(bytes);
}

void Free(void* block) {
  arena().Free(block);
}

void* Calloc(size_t count, size_t bytes) {
  if (bytes != 0 && count > SIZE_MAX / bytes) return nullptr;
  void* const block = arena().Allocate(count * bytes);
  if (block != nullptr) std::memset(block, 0, count * bytes);
  return block;
}

void* Realloc(void* block, size_t bytes) {
  return arena().Reallocate(block, bytes);
}

// The stack of the game, whose size nle chooses: the upper end of ours.
void* Mmap(void*, size_t bytes, int, int, int, off_t) {
  return Game::Current().stack_end() - bytes;
}

// Files.

int Open(const char* path, int flags, ...) {
  return files().Open(path, flags);
}

int Creat(const char* path, mode_t) {
  return files().Open(path, O_CREAT | O_WRONLY | O_TRUNC);
}

int Close(int descriptor) {
  return files().Close(descriptor);
}

ssize_t Read(int descriptor, void* data, size_t bytes) {
  return files().Read(descriptor, data, bytes);
}

// What NetHack writes to the terminal is dropped: nle has its own.
ssize_t Write(int descriptor, const void* data, size_t bytes) {
  if (descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO)
    return static_cast<ssize_t>(bytes);
  return files().Write(descriptor, data, bytes);
}

off_t Lseek(int descriptor, off_t offset, int whence) {
  return files().Seek(descriptor, offset, whence);
}

int Unlink(const char* path) {
  return files().Unlink(path);
}

int Rename(const char* from, const char* to) {
  return files().Rename(from, to);
}

int Access(const char* path, int) {
  if (files().Exists(path)) return 0;
  errno = ENOENT;
  return -1;
}

// Streams. NetHack's stdin, stdout and stderr are the C library's, which these functions leave
// alone.

FILE* Fopen(const char* path, const char* mode) {
  const int create = *mode == 'r' ? 0 : O_CREAT;
  const int descriptor = files().Open(path, create | (*mode == 'w' ? O_TRUNC : 0));
  if (descriptor >= 0 && *mode == 'a') files().Seek(descriptor, 0, SEEK_END);
  return AsFile(files().OpenStream(descriptor));
}

FILE* Fdopen(int descriptor, const char*) {
  return AsFile(files().OpenStream(descriptor));
}

FILE* Fmemopen(void* data, size_t bytes, const char*) {
  return AsFile(files().OpenBytes({static_cast<const uint8_t*>(data), bytes}));
}

int Fclose(FILE* file) {
  Files::Stream* const stream = files().StreamOf(file);
  return stream == nullptr ? 0 : files().Close(stream->descriptor);
}

size_t Fread(void* data, size_t bytes, size_t count, FILE* file) {
  Files::Stream* const stream = files().StreamOf(file);
  if (stream == nullptr || bytes == 0 || count == 0) return 0;
  auto* out = static_cast<uint8_t*>(data);
  size_t read = 0;
  if (stream->pushed != EOF) {
    out[read++] = static_cast<uint8_t>(stream->pushed);
    stream->pushed = EOF;
  }
  const ssize_t more = files().Read(stream->descriptor, out + read, bytes * count - read);
  return (read + static_cast<size_t>(std::max<ssize_t>(more, 0))) / bytes;
}

size_t Fwrite(const void* data, size_t bytes, size_t count, FILE* file) {
  Files::Stream* const stream = files().StreamOf(file);
  if (stream == nullptr || bytes == 0) return count;
  const ssize_t written = files().Write(stream->descriptor, data, bytes * count);
  return static_cast<size_t>(std::max<ssize_t>(written, 0)) / bytes;
}

int Fgetc(FILE* file) {
  uint8_t character = 0;
  return Fread(&character, 1, 1, file) == 1 ? character : EOF;
}

int Ungetc(int character, FILE* file) {
  Files::Stream* const stream = files().StreamOf(file);
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
  Files::Stream* const stream = files().StreamOf(file);
  if (stream == nullptr) return -1;
  if (whence == SEEK_CUR && stream->pushed != EOF) --offset;
  stream->pushed = EOF;
  return files().Seek(stream->descriptor, offset, whence) < 0 ? -1 : 0;
}

long Ftell(FILE* file) {
  Files::Stream* const stream = files().StreamOf(file);
  if (stream == nullptr) return -1;
  return files().Seek(stream->descriptor, 0, SEEK_CUR) - (stream->pushed != EOF ? 1 : 0);
}

void Rewind(FILE* file) {
  Fseek(file, 0, SEEK_SET);
}

int Fscanf(FILE* file, const char* format, ...) {
  Files::Stream* const stream = files().StreamOf(file);
  if (stream == nullptr) return EOF;
  Fseek(file, 0, SEEK_CUR);  // the pushed character is the last one that was read
  const auto rest = files().Rest(*stream);
  if (rest.empty()) return EOF;
  FILE* const copy = fmemopen(const_cast<uint8_t*>(rest.data()), rest.size(), "r");
  if (copy == nullptr) return EOF;
  va_list values;
  va_start(values, format);
  const int count = std::vfscanf(copy, format, values);
  va_end(values);
  files().Seek(stream->descriptor, std::ftell(copy), SEEK_CUR);
  std::fclose(copy);
  return count;
}

int Fileno(FILE* file) {
  Files::Stream* const stream = files().StreamOf(file);
  return stream == nullptr ? STDOUT_FILENO : stream->descriptor;
}

// The clock, which stands still, in UTC.

std::time_t Time(std::time_t* out) {
  const std::time_t now = Game::Current().clock();
  if (out != nullptr) *out = now;
  return now;
}

std::tm* Localtime(const std::time_t* time) {
  return gmtime_r(time, &Game::Current().broken_down_time());
}

int Gettimeofday(timeval* time, void*) {
  *time = {.tv_sec = Game::Current().clock(), .tv_usec = 0};
  return 0;
}

// Regular expressions, whose memory is the C library's.

int Regcomp(regex_t* expression, const char* pattern, int flags) {
  const int error = regcomp(expression, pattern, flags);
  if (error == 0) Game::Current().expressions().push_back(expression);
  return error;
}

void Regfree(regex_t* expression) {
  if (std::erase(Game::Current().expressions(), expression) > 0) regfree(expression);
}

// The process.

[[noreturn]] void Exit(int status) {
  Game::Current().Exit(status == 0 ? "exit(0)" : "exit(1)");
}

[[noreturn]] void Abort() {
  Game::Current().Exit("abort()");
}

[[noreturn]] void Throw() {
  Game::Current().Exit("a C++ exception");
}

char* Getcwd(char* folder, size_t) {
  return std::strcpy(folder, "/");
}

// The user is root, who may play in NetHack's debug mode.

passwd* User() {
  static char name[] = "root", empty[] = "";
  static passwd user = {name, empty, 0, 0, empty, empty, empty};
  return &user;
}

char* UserName() {
  return User()->pw_name;
}

// There are no environment variables, terminals and signals.

const char* NoText(const char*) {
  return nullptr;
}

int Zero() {
  return 0;
}

int MinusOne() {
  return -1;
}

void Nothing() {}

// The old std::string of libstdc++, which copies on write: a pointer to the text behind this head.
// nle's drawing of pictures uses it. Strings lie in the arena and are never shared.
struct Head {
  size_t length, capacity;
  int32_t others;  // the number of other owners; -1: none and the text may be changed

  char* text() { return reinterpret_cast<char*>(this + 1); }
  static Head& Of(char* text) { return reinterpret_cast<Head*>(text)[-1]; }
};
static_assert(sizeof(Head) == 24);

// The head of all empty strings, and their text.
alignas(Head) uint8_t empty_string[sizeof(Head) + 8] = {};

Head* CreateString(size_t capacity, size_t, const void*) {
  auto* const head = static_cast<Head*>(arena().Allocate(sizeof(Head) + capacity + 1));
  if (head == nullptr) Abort();
  *head = {0, capacity, 0};
  return head;
}

void DestroyString(Head* head, const void*) {
  arena().Free(head);
}

void* AssignText(char** self, const char* text, size_t length) {
  Head* const head = CreateString(length, 0, nullptr);
  std::memcpy(head->text(), text, length);
  head->text()[length] = 0;
  head->length = length;
  Head& old = Head::Of(*self);
  if (--old.others < 0) arena().Free(&old);
  *self = head->text();
  return self;
}

void* AssignString(char** self, char** other) {
  if (*self != *other) AssignText(self, *other, Head::Of(*other).length);
  return self;
}

void CopyString(char** self, char** other) {
  Head* const head = CreateString(Head::Of(*other).length, 0, nullptr);
  head->length = Head::Of(*other).length;
  std::memcpy(head->text(), *other, head->length + 1);
  *self = head->text();
}

template <class Result, class... Values>
const void* Address(Result (*function)(Values...)) {
  return reinterpret_cast<const void*>(function);
}

template <class Result, class... Values>
const void* Address(Result (*function)(Values..., ...)) {
  return reinterpret_cast<const void*>(function);
}

using Imports = std::unordered_map<std::string, const void*>;

Imports ReplacedImports() {
  return {
      {"malloc", Address(Malloc)},
      {"_Znwm", Address(Malloc)},
      {"free", Address(Free)},
      {"_ZdlPv", Address(Free)},
      {"calloc", Address(Calloc)},
      {"realloc", Address(Realloc)},
      {"mmap", Address(Mmap)},
      {"munmap", Address(Zero)},
      {"mprotect", Address(Zero)},
      {"open", Address(Open)},
      {"creat", Address(Creat)},
      {"close", Address(Close)},
      {"read", Address(Read)},
      {"write", Address(Write)},
      {"lseek", Address(Lseek)},
      {"unlink", Address(Unlink)},
      {"rename", Address(Rename)},
      {"access", Address(Access)},
      {"chmod", Address(Zero)},
      {"fcntl", Address(Zero)},
      {"isatty", Address(Zero)},
      {"ioctl", Address(MinusOne)},
      {"tcgetattr", Address(MinusOne)},
      {"tcsetattr", Address(MinusOne)},
      {"getcwd", Address(Getcwd)},
      {"fopen", Address(Fopen)},
      {"fdopen", Address(Fdopen)},
      {"fmemopen", Address(Fmemopen)},
      {"fclose", Address(Fclose)},
      {"fread", Address(Fread)},
      {"fwrite", Address(Fwrite)},
      {"fgetc", Address(Fgetc)},
      {"_IO_getc", Address(Fgetc)},
      {"ungetc", Address(Ungetc)},
      {"fgets", Address(Fgets)},
      {"fputc", Address(Fputc)},
      {"_IO_putc", Address(Fputc)},
      {"fputs", Address(Fputs)},
      {"fprintf", Address(Fprintf)},
      {"fscanf", Address(Fscanf)},
      {"fseek", Address(Fseek)},
      {"ftell", Address(Ftell)},
      {"rewind", Address(Rewind)},
      {"fflush", Address(Zero)},
      {"ferror", Address(Zero)},
      {"clearerr", Address(Nothing)},
      {"fileno", Address(Fileno)},
      {"perror", Address(Nothing)},
      {"time", Address(Time)},
      {"gettimeofday", Address(Gettimeofday)},
      {"localtime", Address(Localtime)},
      {"mktime", Address(timegm)},
      {"sleep", Address(Zero)},
      {"regcomp", Address(Regcomp)},
      {"regfree", Address(Regfree)},
      {"exit", Address(Exit)},
      {"_exit", Address(Exit)},
      {"abort", Address(Abort)},
      {"_ZSt17__throw_bad_allocv", Address(Throw)},
      {"_ZSt19__throw_logic_errorPKc", Address(Throw)},
      {"_ZSt20__throw_length_errorPKc", Address(Throw)},
      {"__cxa_begin_catch", Address(Throw)},
      {"__cxa_end_catch", Address(Throw)},
      {"__cxa_rethrow", Address(Throw)},
      {"_Unwind_Resume", Address(Throw)},
      {"__gxx_personality_v0", Address(Throw)},
      {"__cxa_atexit", Address(Zero)},
      {"sigaction", Address(Zero)},
      {"getenv", Address(NoText)},
      {"getlogin", Address(UserName)},
      {"getpwnam", Address(User)},
      {"getpwuid", Address(User)},
      {"getuid", Address(Zero)},
      {"getpid", Address(Zero)},
      {"_ZNSs4_Rep20_S_empty_rep_storageE", empty_string},
      {"_ZNSs4_Rep9_S_createEmmRKSaIcE", Address(CreateString)},
      {"_ZNSs4_Rep10_M_destroyERKSaIcE", Address(DestroyString)},
      {"_ZNSs6assignEPKcm", Address(AssignText)},
      {"_ZNSs6assignERKSs", Address(AssignString)},
      {"_ZNSsC1ERKSs", Address(CopyString)},
      {"_ZNSt8ios_base4InitC1Ev", Address(Nothing)},
      {"_ZNSt8ios_base4InitD1Ev", Address(Nothing)},
  };
}

// Functions of the C library that know nothing but their arguments.
Imports PassedImports() {
#define PASS(name) \
  { #name, reinterpret_cast<const void*>(&::name) }
  return {
      PASS(__ctype_b_loc),
      PASS(__errno_location),
      PASS(stdin),
      PASS(stdout),
      PASS(stderr),
      PASS(getrlimit),
      PASS(qsort),
      PASS(regerror),
      PASS(regexec),
      PASS(snprintf),
      PASS(sprintf),
      PASS(sscanf),
      PASS(stpcpy),
      PASS(strcat),
      PASS(strcmp),
      PASS(strcpy),
      PASS(strerror),
      PASS(strlen),
      PASS(strncat),
      PASS(strncmp),
      PASS(strncpy),
      PASS(strnlen),
      PASS(strtol),
      PASS(sysconf),
      PASS(vsnprintf),
      PASS(memcpy),
      PASS(memmove),
      PASS(memset),
      // These have two forms in C++.
      {"strchr", Address(static_cast<char* (*)(char*, int)>(std::strchr))},
      {"strrchr", Address(static_cast<char* (*)(char*, int)>(std::strrchr))},
      {"strstr", Address(static_cast<char* (*)(char*, const char*)>(std::strstr))},
  };
#undef PASS
}

}  // namespace

const void* FindImport(const std::string& name, bool is_weak) {
  static const Imports kReplaced = ReplacedImports(), kPassed = PassedImports();
  for (const Imports* imports : {&kReplaced, &kPassed}) {
    const auto found = imports->find(name);
    if (found != imports->end()) return found->second;
  }
  if (is_weak) return nullptr;
  throw std::invalid_argument("it imports " + name);
}

}  // namespace parallel_pool::nethack
