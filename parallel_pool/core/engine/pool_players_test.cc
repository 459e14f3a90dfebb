// Pools of envs with several players.
#include <algorithm>
#include <stdexcept>

#include "gtest/gtest.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/testing/make_pool.h"

namespace parallel_pool {
namespace {

using std::chrono::seconds;

// Two envs of Crowd-v0, for at most 4 players each; see testing/crowd.h.
class PlayersTest : public ::testing::Test {
 protected:
  enum { kClosed = 0, kFirstLeaves = 2, kAllLeave = 3, kFill = 4 };  // doors

  // One step; all players move by 1. The result is valid until the next call.
  const Batch& Step(int door) {
    if (batch_ != nullptr) batch_->Release();
    const std::vector<int32_t> players{pool_->players(0), pool_->players(1)}, doors{door, kClosed};
    const std::vector<int32_t> moves(players[0] + players[1], 1);
    pool_->Claim(kEnvs);
    pool_->actions().Store(0, {moves.data(), DType::kInt32}, kEnvs, players);
    pool_->actions().Store(1, {doors.data(), DType::kInt32}, kEnvs, players);
    pool_->Send(kEnvs, false);
    batch_ = pool_->Recv(seconds(60));
    pool_->Accept(*batch_);
    return *batch_;
  }
  ~PlayersTest() override { batch_->Release(); }

  static constexpr int32_t kEnvs[] = {0, 1};
  static constexpr int kMoves = 2, kOwnReward = 5;  // columns
  std::unique_ptr<Pool> pool_ = testing::MakePool(4, 4, {2, 2, 1, 1000, -1, {}});
  Batch* batch_ = nullptr;
};

TEST_F(PlayersTest, AreCountedAndHaveRewardsOfStepsOnly) {
  EXPECT_EQ(pool_->layout().most_players(), 4);
  EXPECT_EQ(pool_->players(1), 4);  // no batch was received yet
  EXPECT_EQ(pool_->columns()[kOwnReward].name, "");
  const auto rewards = [&](const Batch& b) {
    return b.column<float>(pool_->layout().engine_column(BatchLayout::kReward));
  };
  const Batch& first = Step(kFill);
  EXPECT_TRUE(std::all_of(rewards(first), rewards(first) + 8, [](float r) { return r == 0; }));
  const Batch& full = Step(kFill);
  EXPECT_EQ(full.column<int32_t>(pool_->layout().players_column())[0], 4);
  EXPECT_TRUE(std::all_of(rewards(full), rewards(full) + 4, [](float r) { return r > 0; }));
  const auto* env_id =
      full.column<int32_t>(pool_->layout().engine_column(BatchLayout::kPlayerEnvId));
  EXPECT_EQ(std::count(env_id, env_id + 8, 1), 4);
  Step(kFirstLeaves);
  EXPECT_EQ(pool_->players(0), 3);
}

TEST_F(PlayersTest, AreCountedAgainAfterLoad) {
  Step(kFill);
  Step(kFill);
  const std::string full = pool_->Save(0);
  Step(kAllLeave);
  EXPECT_EQ(pool_->players(0), 0);
  std::string damaged = full;
  damaged[89] = 5;  // the first byte behind elapsed_step, next, begun, and five episodes so far
  EXPECT_THROW(pool_->Load(0, damaged), std::invalid_argument);
  pool_->Load(0, full);
  EXPECT_EQ(pool_->players(0), 4);
  const int64_t moved = Step(kClosed).column<int64_t>(kMoves)[0];
  EXPECT_EQ(moved, 2);  // once before the Save
}

}  // namespace
}  // namespace parallel_pool
