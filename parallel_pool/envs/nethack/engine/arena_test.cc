#include "parallel_pool/envs/nethack/engine/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <vector>

namespace parallel_pool::nethack {
namespace {

struct ArenaTest : testing::Test {
  static constexpr size_t kBytes = 1 << 20;

  ArenaTest() : memory(kBytes / 16), arena(Begin(), kBytes) {}

  uint8_t* Begin() { return reinterpret_cast<uint8_t*>(memory.data()); }

  struct alignas(16) Unit { uint8_t bytes[16]; };
  std::vector<Unit> memory;
  Arena arena;
};

// Blocks keep what is written to them, whatever happens to others.
TEST_F(ArenaTest, BlocksDoNotOverlap) {
  std::mt19937 random(1);
  std::map<uint8_t*, std::pair<size_t, uint8_t>> blocks;  // size and content
  const auto check = [&](uint8_t* block) {
    const auto [size, value] = blocks.at(block);
    for (size_t i = 0; i < size; ++i) ASSERT_EQ(block[i], value);
  };
  const auto fill = [&](uint8_t* block, size_t size) {
    const auto value = static_cast<uint8_t>(random());
    ASSERT_NE(block, nullptr);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(block) % 16, 0u);
    std::memset(block, value, size);
    blocks[block] = {size, value};
  };
  for (int i = 0; i < 20000; ++i) {
    const size_t size = random() % 8 == 0 ? random() % 5000 : random() % 300;
    if (blocks.size() < 40) {
      fill(static_cast<uint8_t*>(arena.Allocate(size)), size);
      continue;
    }
    const auto chosen = std::next(blocks.begin(), static_cast<int>(random() % blocks.size()));
    uint8_t* const block = chosen->first;
    check(block);
    if (i % 3 == 0) {
      const auto [before, value] = chosen->second;
      blocks.erase(chosen);
      auto* const moved = static_cast<uint8_t*>(arena.Reallocate(block, size));
      ASSERT_NE(moved, nullptr);
      for (size_t k = 0; k < std::min(before, size); ++k) ASSERT_EQ(moved[k], value);
      fill(moved, size);
    } else {
      blocks.erase(chosen);
      arena.Free(block);
    }
  }
  for (const auto& [block, content] : blocks) check(block);
}

TEST_F(ArenaTest, FreeBlocksAreUsedAgain) {
  void* const first = arena.Allocate(100);
  arena.Free(first);
  EXPECT_EQ(arena.Allocate(97), first);  // the same size class
}

TEST_F(ArenaTest, AFullArenaReturnsNothing) {
  EXPECT_EQ(arena.Allocate(kBytes), nullptr);
  EXPECT_EQ(arena.Allocate(SIZE_MAX), nullptr);
  void* last = nullptr;
  while (void* const block = arena.Allocate(1000)) last = block;
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(arena.Reallocate(last, 5000), nullptr);
  arena.Free(last);
  EXPECT_EQ(arena.Allocate(1000), last);
  arena.Clear();
  EXPECT_NE(arena.Allocate(kBytes / 2 - 100), nullptr);
}

TEST_F(ArenaTest, BlocksOfOthersAreLeftAlone) {
  int other[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  arena.Free(nullptr);
  arena.Free(&other[4]);
  EXPECT_EQ(other[4], 5);
  EXPECT_NE(arena.Reallocate(nullptr, 10), nullptr);
}

}  // namespace
}  // namespace parallel_pool::nethack
