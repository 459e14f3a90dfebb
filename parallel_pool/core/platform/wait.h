// Sleep until a word changes. std::atomic::wait has no time limit.
//
// wait_linux.cc uses futexes. wait_portable.cc is standard C++, for other systems; it runs here
// with --config=portable.
#pragma once

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>

namespace parallel_pool::platform {

// Returns when `word` is not `seen`, on a wake-up, after `limit`, or spuriously.
void Wait(const std::atomic<uint32_t>& word, uint32_t seen, std::chrono::nanoseconds limit);

// Wakes at most `threads` sleepers. Uses only the address of `word`: its memory may have another
// owner by now.
void Wake(const std::atomic<uint32_t>& word, int threads = INT_MAX);

// The same for a word in memory that processes share.
void WaitShared(const std::atomic<uint32_t>& word, uint32_t seen, std::chrono::nanoseconds limit);
void WakeShared(const std::atomic<uint32_t>& word);

}  // namespace parallel_pool::platform
