// Padding: smaller arrays in larger ones.
#include "parallel_pool/core/engine/joined.h"

#include <cstring>
#include <vector>

#include "gtest/gtest.h"

namespace parallel_pool {
namespace {

Column ArrayOfShape(std::vector<int32_t> shape) {
  Column column("array", DType::kInt16);
  column.shape = std::move(shape);
  return column;
}

// Expands `rows` rows of 1, 2, 3, ...
std::vector<int16_t> Expanded(const Column& own, const Column& whole, int64_t rows) {
  std::vector<int16_t> numbers(rows * whole.shape_size(), -1);
  for (int64_t i = 0; i < rows * own.shape_size(); ++i) numbers[i] = static_cast<int16_t>(i + 1);
  Padding(own, whole).Expand(reinterpret_cast<std::byte*>(numbers.data()), rows);
  return numbers;
}

TEST(Padding, PutsZerosBehindEachAxis) {
  EXPECT_EQ(Expanded(ArrayOfShape({2}), ArrayOfShape({3}), 2),
            (std::vector<int16_t>{1, 2, 0, 3, 4, 0}));
  EXPECT_EQ(Expanded(ArrayOfShape({2, 1}), ArrayOfShape({3, 2}), 2),
            (std::vector<int16_t>{1, 0, 2, 0, 0, 0, 3, 0, 4, 0, 0, 0}));
  EXPECT_EQ(Expanded(ArrayOfShape({1, 2, 1}), ArrayOfShape({2, 2, 2}), 2),
            (std::vector<int16_t>{1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Expanded(ArrayOfShape({2, 2, 2}), ArrayOfShape({3, 2, 2}), 1),
            (std::vector<int16_t>{1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0}));
}

TEST(Padding, LeavesArraysOfTheSameShape) {
  const Padding none(ArrayOfShape({2, 3}), ArrayOfShape({2, 3}));
  EXPECT_TRUE(none.is_none());
  EXPECT_EQ(Expanded(ArrayOfShape({2}), ArrayOfShape({2}), 2), (std::vector<int16_t>{1, 2, 3, 4}));
  EXPECT_EQ(Expanded(ArrayOfShape({}), ArrayOfShape({}), 2), (std::vector<int16_t>{1, 2}));
}

TEST(Padding, OfNothingIsZeros) {
  EXPECT_EQ(Expanded(ArrayOfShape({0, 2}), ArrayOfShape({1, 2}), 2),
            (std::vector<int16_t>{0, 0, 0, 0}));
}

TEST(Padding, ExtractIsTheWayBack) {
  const Column own = ArrayOfShape({2, 1, 2}), whole = ArrayOfShape({2, 3, 3});
  const std::vector<int16_t> row = Expanded(own, whole, 1);
  std::vector<int16_t> back(4);
  Padding(own, whole)
      .Extract(reinterpret_cast<const std::byte*>(row.data()),
               reinterpret_cast<std::byte*>(back.data()));
  EXPECT_EQ(back, (std::vector<int16_t>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace parallel_pool
