// A recorded pool, and another one that is given its calls; Python's tests compare all arrays.
#include "parallel_pool/core/engine/recorder.h"

#include <map>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "parallel_pool/core/engine/action_bits.h"
#include "parallel_pool/core/engine/bits.h"
#include "parallel_pool/core/engine/digest.h"
#include "parallel_pool/core/engine/pool.h"
#include "parallel_pool/core/engine/replayer.h"
#include "parallel_pool/core/testing/make_pool.h"

namespace parallel_pool {
namespace {

using std::chrono::seconds;

constexpr int kEnvs = 40;
enum { kFine = 0, kEnd = 2 };  // actions of Trouble-v0

std::unique_ptr<Pool> MakePool(int batch_size, int threads) {
  return testing::MakePool(1, 1, {kEnvs, batch_size, threads, 10, -1, {}});
}

uint64_t Receive(Pool& pool, std::vector<int32_t>* envs) {
  Batch* const batch = pool.Recv(seconds(60));
  pool.Accept(*batch);
  const uint64_t digest = DigestOf(pool.layout(), *batch);
  const auto* ids = batch->column<int32_t>(pool.layout().engine_column(BatchLayout::kEnvId));
  envs->assign(ids, ids + batch->rows());
  batch->Release();
  return digest;
}

void Send(Pool& pool, const std::vector<int32_t>& envs, int step) {
  std::vector<int32_t> actions;
  for (const int32_t env : envs) actions.push_back((env + step) % 7 == 0 ? kEnd : kFine);
  pool.Claim(envs);
  pool.actions().Store(0, {actions.data(), DType::kInt32}, envs);
  pool.Send(envs, false);
}

// Plays a pool, takes its calls from another thread, and compares the digests of a replay.
void PlayAndReplay(int batch_size) {
  const auto pool = MakePool(batch_size, 3);
  auto observer = std::make_unique<Recorder>(*pool);
  Recorder& recorder = *observer;
  pool->SetObserver(std::move(observer));
  std::vector<Recorder::Part> parts;
  const auto take = [&] {
    for (Recorder::Part& part : recorder.Take().parts) parts.push_back(std::move(part));
  };
  std::jthread taker([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      take();
      recorder.RequestKeyframe();
      std::this_thread::yield();
    }
  });
  std::vector<uint64_t> digests;  // of each result
  RunDigest of_last;
  std::map<int64_t, uint64_t> of_many;
  std::vector<int32_t> envs = testing::All(kEnvs);
  pool->Claim(envs, true);
  pool->Send(envs, true);
  for (int step = 0; step < 300; ++step) {
    digests.push_back(Receive(*pool, &envs));
    of_last.Add(digests.back());
    if (of_last.count() == kDigestEvery) of_many[step] = of_last.Take();
    if (step % 100 == 50) pool->StartProfile();
    if (step % 100 == 99) pool->StopProfile();
    if (step == 200) recorder.RequestKeyframe();  // a busy machine may not have run `taker`
    if (step % 11 == 5) {
      pool->Claim(envs, true);
      pool->Send(envs, true);
    } else {
      Send(*pool, envs, step);
    }
  }
  taker.request_stop();
  taker.join();
  take();

  const auto other = MakePool(kEnvs, 2);
  Replayer replayer(*other, batch_size != kEnvs, {}, /*of_format_1=*/false);
  int64_t first = -1;
  for (size_t k = 0; k < parts.size(); ++k) {
    replayer.Feed(parts[k].calls, k == 0 ? std::optional(parts[k].first) : std::nullopt);
    while (replayer.Next()) {
      if (replayer.number() < 300) {
        ASSERT_EQ(Receive(*other, &envs), digests[replayer.number()]) << replayer.number();
      } else {
        Receive(*other, &envs);
      }
      EXPECT_TRUE(replayer.is_whole());
    }
    if (parts[k].begins_keyframe && parts[k].first > 100 && first < 0) first = parts[k].first;
  }
  EXPECT_EQ(replayer.number(), batch_size == kEnvs ? 300 : 299);
  std::map<int64_t, uint64_t> recorded;
  for (const Recorder::Part& part : parts) {
    recorded.insert(part.digests.begin(), part.digests.end());
  }
  EXPECT_EQ(recorded, of_many);
  EXPECT_GT(first, 100);
}

TEST(Recorder, ASyncPoolIsPlayedAgain) {
  PlayAndReplay(kEnvs);
}

TEST(Recorder, AnAsyncPoolIsPlayedAgainInItsOrder) {
  PlayAndReplay(7);
}

TEST(Replayer, RefusesBytesThatAreNoCalls) {
  const auto pool = MakePool(kEnvs, 1);
  for (const std::string& bytes :
       {std::string("\xFF"), std::string(1, '\0'), std::string("\0\7\0\0\0", 5),
        std::string("\0\1\0\0\0\xFF\xFF\xFF\xFF\0", 10), std::string("\4\0\0\0\0", 5)}) {
    Replayer replayer(*pool, false, {}, /*of_format_1=*/false);
    replayer.Feed(bytes, std::nullopt);
    EXPECT_THROW(replayer.Next(), std::invalid_argument) << bytes.size();
  }
}

TEST(Bits, AreThoseOfTheElements) {
  for (const int bits : {1, 2, 4, 8}) {
    for (const int64_t count : {1, 7, 8, 64, 65, 200}) {
      std::vector<int32_t> elements;
      for (int64_t i = 0; i < count; ++i) elements.push_back(-3 + i * i % (1 << bits));
      std::string packed((count + 7) / 8 * bits, '\0');
      PackBits<int32_t>(elements.data(), count, -3, bits, packed.data());
      for (int64_t i = 0; i < count; ++i) {
        const auto byte = static_cast<uint8_t>(packed[i * bits / 8]);
        EXPECT_EQ((byte >> i * bits % 8 & ((1 << bits) - 1)) - 3, elements[i]) << bits << ' ' << i;
      }
    }
  }
}

}  // namespace
}  // namespace parallel_pool
