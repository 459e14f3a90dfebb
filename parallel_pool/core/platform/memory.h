// Memory: its pages, how much there is, and files in memory that processes share.
//
// memory_linux.cc takes the memory of a file when the file grows. memory_portable.cc cannot: a file
// there has its full size from the beginning, and the system takes pages when they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace parallel_pool::platform {

// Bytes.
int64_t PageSize();
// Bytes of the whole machine.
int64_t PhysicalMemory();
// The bytes that a limit of the address space (`ulimit -v`) leaves to this process; the largest
// int64_t without a limit.
int64_t AddressSpaceLeft();

// A file without a name, which is gone when the last process has closed it. Throws
// std::runtime_error with the system's message.
int MakeFile();
void CloseFile(int file);
// Address space in which a file can grow, as much as a limit of the process allows. Throws
// std::runtime_error.
std::span<std::byte> MapFile(int file);
void UnmapFile(std::span<std::byte> memory);
// Makes a file of `size` bytes larger, at most as large as what MapFile has returned. Whether there
// is enough memory.
bool GrowFile(int file, uint64_t size, uint64_t larger);

}  // namespace parallel_pool::platform
