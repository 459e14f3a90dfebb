// The processors that a process and its threads may use.
//
// Not every system tells or allows it: processors_portable.cc knows their number only.
#pragma once

#include <thread>
#include <vector>

namespace parallel_pool::platform {

// The system's numbers of the processors that this process may use, ascending; empty if the system
// does not tell.
std::vector<int> UsableProcessors();

// A thread, as Pin takes it.
using Thread = std::thread::native_handle_type;
Thread ThisThread();
// Lets a thread run on these processors only; does nothing without any. A refusal by the system is
// ignored: it costs speed only.
void Pin(Thread thread, const std::vector<int>& processors);

}  // namespace parallel_pool::platform
