#include "parallel_pool/core/binding/process_state.h"

#include <pthread.h>

#include <atomic>
#include <thread>

namespace parallel_pool {
namespace {

std::atomic<int> fork_generation{0};
std::atomic<std::thread::id> ending_thread{};  // none while the interpreter runs

}  // namespace

void WatchForks() {
  pthread_atfork(nullptr, nullptr, [] { ++fork_generation; });
}

int ForkGeneration() {
  return fork_generation;
}

void EndInterpreter() {
  ending_thread = std::this_thread::get_id();
}

bool IsLeftBehind() {
  const std::thread::id ending = ending_thread;
  return ending != std::thread::id() && ending != std::this_thread::get_id();
}

}  // namespace parallel_pool
