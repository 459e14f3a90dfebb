// Errors of functions that no exception may pass: those of mjbatch.h are C++ inside, with a
// run-time library of libmujoco's own.
#pragma once

#include <csetjmp>
#include <string>

#include "parallel_pool/envs/mujoco/engine/model.h"

namespace parallel_pool::mujoco {

// Where an error of this thread jumps to, in place of an exception; nullptr: it is thrown.
struct ErrorExit {
  std::jmp_buf* place = nullptr;
  std::string message;
};
ErrorExit& ErrorExitOfThread();

// Returns f(), which calls one such function and owns nothing; its errors are thrown from here.
template <class F>
auto CallBatch(const F& f) {
  ErrorExit& exit = ErrorExitOfThread();
  std::jmp_buf place;
  if (setjmp(place) != 0) {
    exit.place = nullptr;
    throw MujocoError(exit.message);
  }
  exit.place = &place;
  const auto result = f();
  exit.place = nullptr;
  return result;
}

}  // namespace parallel_pool::mujoco
