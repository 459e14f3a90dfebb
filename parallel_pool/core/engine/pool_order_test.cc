// Many orders of a pool's threads (testing/interleave.h): a model of Pool's batches over the
// engine's own queues, countdown and idle workers.
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/engine/countdown.h"
#include "parallel_pool/core/engine/homes.h"
#include "parallel_pool/core/engine/idle.h"
#include "parallel_pool/core/testing/interleave.h"

namespace parallel_pool {
namespace {

using testing::Check;
using testing::Explore;
using testing::Plan;
using testing::SimSync;

constexpr int kEnvs = 3, kBatches = 5;
constexpr size_t kAsyncRows = 2, kAsyncSlots = 2;  // 2 batches of 2 rows hold those of all envs

struct Options {
  bool sync = false;  // one batch for each send; otherwise two rows, first finished, first received
  // Injected bugs:
  bool writes_late = false;   // a worker finishes its row, then writes it
  bool refills_late = false;  // the receiver accepts envs, then puts a new batch into the ring
};

// The rows are env + 1, or 0 if not written.
struct ModelBatch {
  BasicCountdown<SimSync> unfinished;
  uint64_t first_row = 0;
  std::vector<int> rows;
};

class Model {
 public:
  explicit Model(const Options& options)
      : options_(options), slots_(options.sync ? kEnvs : kAsyncSlots) {
    if (options_.sync) return;
    for (size_t i = 0; i < kAsyncSlots; ++i) slots_[i].store(Take(kAsyncRows, kAsyncRows * i));
  }

  void Worker(int home) {
    idle_.Work([this, home] { return RunOne(home); }, [this] { return homes_.any(); });
  }

  // Keeps the received batch until it has received the next one.
  void User() {
    for (int env = 0; env < kEnvs; ++env) Send({env + 1});
    ModelBatch* held = nullptr;
    std::vector<int> rows;
    for (uint64_t number = 0; number < kBatches; ++number) {
      ModelBatch* const batch = Recv(number);
      if (!options_.refills_late) Refill(number);
      if (held != nullptr) {
        Check(held->rows == rows, "the user's batch has changed");
        unused_.push_back(held);
      }
      held = batch;
      rows = batch->rows;
      for (const int row : rows) Check(row != 0, "received before the row was written");
      Send(rows);
      if (options_.refills_late) Refill(number);
    }
    idle_.Stop();
  }

 private:
  using Slot = SimSync::Atomic<ModelBatch*>;

  Slot& slot(uint64_t number) { return slots_[number % slots_.size()]; }

  bool RunOne(int home) {
    Ticket ticket;
    if (homes_.Claim(home, &ticket, [](int64_t, const Ticket&) { return 1; }) == 0) return false;
    const uint64_t row = options_.sync ? ticket.row : rows_taken_.fetch_add(1);
    ModelBatch& batch = *slot(options_.sync ? ticket.batch : row / kAsyncRows).load();
    const uint64_t i = options_.sync ? row : row - batch.first_row;
    Check(ticket.count == 1 && i < batch.rows.size(), "a row of another batch");
    const auto write = [&] { batch.rows[i] = ticket.env + 1; };
    if (!options_.writes_late) write();
    batch.unfinished.Finish(1);
    if (options_.writes_late) write();
    if (idle_.anyone_sleeps() && homes_.any()) idle_.Wake(2);
    return true;
  }

  void Send(const std::vector<int>& rows) {
    if (options_.sync) slot(sent_).store(Take(rows.size(), 0));
    std::vector<int32_t> envs;
    for (const int row : rows) envs.push_back(row - 1);
    homes_.Send(envs, sent_++ % slots_.size(), /*reset=*/false, /*threads=*/2, /*limit=*/1);
    idle_.Wake(1);
  }

  ModelBatch* Recv(uint64_t number) {
    ModelBatch* const batch = slot(number).load();
    while (!batch->unfinished.done()) {
      if (!options_.sync || !RunOne(0)) batch->unfinished.Wait(std::chrono::hours(2));
    }
    return batch;
  }

  void Refill(uint64_t number) {
    const uint64_t later = number + slots_.size();
    slot(number).store(options_.sync ? nullptr : Take(kAsyncRows, kAsyncRows * later));
  }

  ModelBatch* Take(size_t rows, uint64_t first_row) {
    if (unused_.empty()) {
      unused_.push_back(owned_.emplace_back(std::make_unique<ModelBatch>()).get());
    }
    ModelBatch* const batch = unused_.back();
    unused_.pop_back();
    batch->first_row = first_row;
    batch->rows.assign(rows, 0);
    batch->unfinished.Start(static_cast<int>(rows));
    return batch;
  }

  const Options options_;
  BasicHomes<SimSync> homes_{kEnvs, 2};
  BasicIdle<SimSync> idle_{2, 1};
  std::vector<Slot> slots_;
  SimSync::Atomic<uint64_t> rows_taken_{0};
  uint64_t sent_ = 0;
  std::vector<std::unique_ptr<ModelBatch>> owned_;
  std::vector<ModelBatch*> unused_;
};

std::string ExplorePool(const Options& options) {
  return Explore({}, [&](Plan& plan) {
    const auto model = std::make_shared<Model>(options);
    for (int worker = 0; worker < 2; ++worker) plan.Thread([=] { model->Worker(worker); });
    plan.Thread([=] { model->User(); });
  });
}

TEST(PoolOrder, BatchesAreCompleteAndStayAsTheyAre) {
  EXPECT_EQ(ExplorePool({.sync = false}), "");
  EXPECT_EQ(ExplorePool({.sync = true}), "");
}

TEST(PoolOrder, BugsAreFound) {
  const std::string late_row = ExplorePool({.writes_late = true});
  EXPECT_TRUE(late_row.starts_with("received before the row was written")) << late_row;
  const std::string late_batch = ExplorePool({.refills_late = true});
  EXPECT_TRUE(late_batch.starts_with("a row of another batch")) << late_batch;
}

}  // namespace
}  // namespace parallel_pool
