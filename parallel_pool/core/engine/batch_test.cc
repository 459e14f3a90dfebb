#include "parallel_pool/core/engine/batch.h"

#include <thread>

#include "gtest/gtest.h"

namespace parallel_pool {
namespace {

using std::chrono::milliseconds;

std::shared_ptr<BatchCache> Cache() {
  return std::make_shared<BatchCache>(
      std::vector<Column>{{"a", DType::kUint8}, {"b", DType::kFloat64}, {"c", DType::kInt32}});
}

TEST(Batch, ColumnsStartOnCacheLines) {
  Batch* batch = Cache()->Take(5, 10);
  EXPECT_EQ(batch->rows(), 5);
  EXPECT_EQ(batch->first_row(), 10u);
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(batch->columns()[k]) % 64, 0u);
  }
  EXPECT_GE(batch->columns()[1] - batch->columns()[0], 5);
  EXPECT_GE(batch->columns()[2] - batch->columns()[1], 5 * 8);
  batch->Release();
}

TEST(Batch, HasRoomForAllPlayers) {
  const Column one{"one", DType::kInt32}, each{"each", DType::kInt32, 5};
  EXPECT_EQ(one.row_bytes(), 4);
  EXPECT_EQ(each.shape_size(), 1);
  EXPECT_EQ(each.row_size(), 5);
  EXPECT_EQ(each.row_bytes(), 20);
}

TEST(Batch, IsReadyWhenAllRowsAreFinished) {
  Batch* batch = Cache()->Take(3, 0);
  batch->Finish(2);
  EXPECT_FALSE(batch->ready());
  EXPECT_FALSE(batch->Wait(milliseconds(1)));
  batch->Finish(1);
  EXPECT_TRUE(batch->ready());
  EXPECT_TRUE(batch->Wait(milliseconds(0)));
  batch->Release();
}

TEST(Batch, WakesItsReceiver) {
  const auto cache = Cache();
  for (int i = 0; i < 2000; ++i) {
    Batch* batch = cache->Take(2, 0);
    std::jthread a([&] { batch->Finish(1); });
    std::jthread b([&] { batch->Finish(1); });
    ASSERT_TRUE(batch->Wait(std::chrono::seconds(20)));
    a.join();
    b.join();
    batch->Release();
  }
}

TEST(Batch, KeepsFailuresUntilItIsUsedAgain) {
  const auto cache = Cache();
  Batch* batch = cache->Take(2, 0);
  EXPECT_FALSE(batch->any_failed());
  batch->Fail(1);
  EXPECT_TRUE(batch->any_failed());
  EXPECT_FALSE(batch->failed(0));
  EXPECT_TRUE(batch->failed(1));
  batch->Release();
  batch = cache->Take(2, 0);
  EXPECT_FALSE(batch->any_failed());
  EXPECT_FALSE(batch->failed(1));
  batch->Release();
}

TEST(BatchCache, UsesABlockAgainForRowsThatFit) {
  const auto cache = Cache();
  Batch* const five = cache->Take(5, 0);
  std::byte* const block = five->columns()[0];
  five->Release();
  Batch* const two = cache->Take(2, 0);
  EXPECT_NE(two->columns()[0], block);  // a small result must not use a large block
  Batch* const eight = cache->Take(8, 0);
  EXPECT_EQ(eight->columns()[0], block);
  EXPECT_EQ(eight->rows(), 8);
  two->Release();
  eight->Release();
}

TEST(BatchCache, LivesAsLongAsItsBatches) {
  auto cache = Cache();
  Batch* batch = cache->Take(1, 0);
  const std::weak_ptr<BatchCache> watch = cache;
  cache.reset();
  EXPECT_FALSE(watch.expired());
  *batch->column<double>(1) = 1.5;
  batch->Release();
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace parallel_pool
