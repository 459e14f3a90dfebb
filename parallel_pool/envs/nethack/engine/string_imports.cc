#include <cstdint>
#include <cstring>

#include "parallel_pool/envs/nethack/engine/imports.h"

namespace parallel_pool::nethack {
namespace {

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
  auto* const head = static_cast<Head*>(GameArena().Allocate(sizeof(Head) + capacity + 1));
  if (head == nullptr) Game::Current().Exit("a C++ exception");
  *head = {0, capacity, 0};
  return head;
}

void DestroyString(Head* head, const void*) {
  GameArena().Free(head);
}

void* AssignText(char** self, const char* text, size_t length) {
  Head* const head = CreateString(length, 0, nullptr);
  std::memcpy(head->text(), text, length);
  head->text()[length] = 0;
  head->length = length;
  Head& old = Head::Of(*self);
  if (--old.others < 0) GameArena().Free(&old);
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

}  // namespace

Imports StringImports() {
  return {
      {"_ZNSs4_Rep20_S_empty_rep_storageE", empty_string},
      {"_ZNSs4_Rep9_S_createEmmRKSaIcE", Address(CreateString)},
      {"_ZNSs4_Rep10_M_destroyERKSaIcE", Address(DestroyString)},
      {"_ZNSs6assignEPKcm", Address(AssignText)},
      {"_ZNSs6assignERKSs", Address(AssignString)},
      {"_ZNSsC1ERKSs", Address(CopyString)},
  };
}

}  // namespace parallel_pool::nethack
