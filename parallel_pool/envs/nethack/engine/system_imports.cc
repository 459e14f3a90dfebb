#include <pwd.h>
#include <regex.h>
#include <sys/time.h>

#include <ctime>
#include <vector>

#include "parallel_pool/envs/nethack/engine/imports.h"

namespace parallel_pool::nethack {
namespace {

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

}  // namespace

Imports SystemImports() {
  return {
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
      {"_ZNSt8ios_base4InitC1Ev", Address(Nothing)},
      {"_ZNSt8ios_base4InitD1Ev", Address(Nothing)},
  };
}

}  // namespace parallel_pool::nethack
