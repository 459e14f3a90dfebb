// A thread that lives as long as the process. Linux ends a child with PR_SET_PDEATHSIG when the
// thread that started it ends, so no thread of a pool may start one.
#pragma once

#include <functional>

namespace parallel_pool::vizdoom {

// Runs `job` on that thread, with all signals blocked, and waits for its end. It must not throw.
void RunOnLastingThread(const std::function<void()>& job);

}  // namespace parallel_pool::vizdoom
