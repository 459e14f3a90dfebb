#include <cstdint>
#include <cstring>

#include "parallel_pool/envs/nethack/engine/imports.h"

namespace parallel_pool::nethack {
namespace {

void* Malloc(size_t bytes) {
  return GameArena().Allocate(bytes);
}

void Free(void* block) {
  GameArena().Free(block);
}

void* Calloc(size_t count, size_t bytes) {
  if (bytes != 0 && count > SIZE_MAX / bytes) return nullptr;
  void* const block = GameArena().Allocate(count * bytes);
  if (block != nullptr) std::memset(block, 0, count * bytes);
  return block;
}

void* Realloc(void* block, size_t bytes) {
  return GameArena().Reallocate(block, bytes);
}

void* Memcpy(void* to, const void* from, size_t bytes) {
  if (bytes == kDescriptionBytes && Game::Current().TakeDescriptions(to, from)) return to;
  return std::memcpy(to, from, bytes);
}

void* Memset(void* to, int value, size_t bytes) {
  if (bytes == kDescriptionBytes && Game::Current().TakeDescriptions(to, nullptr)) return to;
  return std::memset(to, value, bytes);
}

// The stack of the game, whose size nle chooses: the upper end of ours.
void* Mmap(void*, size_t bytes, int, int, int, off_t) {
  return Game::Current().stack_end() - bytes;
}

}  // namespace

Imports MemoryImports() {
  return {
      {"malloc", Address(Malloc)}, {"_Znwm", Address(Malloc)},  {"free", Address(Free)},
      {"_ZdlPv", Address(Free)},   {"calloc", Address(Calloc)}, {"realloc", Address(Realloc)},
      {"memcpy", Address(Memcpy)}, {"memset", Address(Memset)}, {"mmap", Address(Mmap)},
      {"munmap", Address(Zero)},   {"mprotect", Address(Zero)},
  };
}

}  // namespace parallel_pool::nethack
