// POSIX shared memory files.
#pragma once

#include <cstddef>
#include <string>

namespace parallel_pool::vizdoom {

// Creates the file `name`, which must not exist, with `size` bytes of zeros, and maps it. Throws
// std::runtime_error with the reason.
void* CreateSharedFile(const std::string& name, size_t size);

// Maps the whole existing file `name` and sets `size`. Throws like CreateSharedFile.
void* OpenSharedFile(const std::string& name, size_t& size);

// Allocates the memory of a part of the existing file `name`, so that a full /dev/shm is an error
// here and not a signal later. Throws like CreateSharedFile.
void AllocateSharedFile(const std::string& name, size_t offset, size_t size);

// Whether there is no room for another engine. An engine that finds none is killed by a signal.
bool SharedMemoryIsFull() noexcept;

// Removes the name. It is no error if there is none.
void UnlinkSharedFile(const std::string& name) noexcept;

void UnmapSharedFile(void* memory, size_t size) noexcept;

}  // namespace parallel_pool::vizdoom
