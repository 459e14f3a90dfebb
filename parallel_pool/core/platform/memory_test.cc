#include "parallel_pool/core/platform/memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "gtest/gtest.h"

namespace parallel_pool::platform {
namespace {

TEST(Memory, ItsSizesAreThoseOfAMachine) {
  const int64_t page = PageSize();
  EXPECT_GE(page, 4096);
  EXPECT_EQ(page & (page - 1), 0);
  EXPECT_GT(PhysicalMemory(), 64 << 20);
  EXPECT_GT(AddressSpaceLeft(), 0);
}

TEST(Memory, AFileIsTheSameInAllItsMaps) {
  const int file = MakeFile();
  const std::span<std::byte> one = MapFile(file), other = MapFile(file);
  EXPECT_NE(one.data(), other.data());
  ASSERT_GE(one.size(), size_t{2} << 20);
  EXPECT_TRUE(GrowFile(file, 0, 1 << 20));
  one[0] = std::byte{1};
  EXPECT_TRUE(GrowFile(file, 1 << 20, 2 << 20));
  one[(2 << 20) - 1] = std::byte{2};
  CloseFile(file);  // the memory stays
  EXPECT_EQ(other[0], std::byte{1});
  EXPECT_EQ(other[(2 << 20) - 1], std::byte{2});
  EXPECT_EQ(std::ranges::count(other.first(2 << 20), std::byte{0}), (2 << 20) - 2);
  UnmapFile(one);
  UnmapFile(other);
}

TEST(Memory, AFileThatIsNoneCannotBeMapped) {
  EXPECT_THROW(MapFile(-1), std::runtime_error);
}

TEST(Memory, AFileIsClosedInOtherPrograms) {
  const int file = MakeFile();
  const std::string look = "test -e /dev/fd/" + std::to_string(file);
  EXPECT_NE(std::system(look.c_str()), 0);
  CloseFile(file);
}

}  // namespace
}  // namespace parallel_pool::platform
