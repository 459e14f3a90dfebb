// The memory of one more env: its mjData, and little else.
#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>
#include <vector>

#include "parallel_pool/envs/mujoco/engine/models.h"
#include "parallel_pool/envs/mujoco/gym/half_cheetah.h"
#include "parallel_pool/envs/mujoco/gym/humanoid.h"
#include "parallel_pool/envs/mujoco/rendering/pictured.h"

namespace parallel_pool::mujoco {
namespace {

using gym::HalfCheetah, gym::Humanoid;

constexpr int kEnvs = 200;

// Allocated bytes. Not the resident pages: malloc uses freed memory again without new pages.
int64_t Allocated() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

// The bytes of each of kEnvs results of make().
template <class Make>
double Each(const Make& make) {
  std::vector<decltype(make())> made(kEnvs);
  const int64_t before = Allocated();
  for (auto& one : made) one = make();
  return static_cast<double>(Allocated() - before) / kEnvs;
}

template <class Env>
class MemoryTest : public testing::Test {};
using Envs = testing::Types<HalfCheetah<5>, Humanoid<5>, Pictured<HalfCheetah<5>>>;
TYPED_TEST_SUITE(MemoryTest, Envs);

TYPED_TEST(MemoryTest, IsThatOfAnMjdata) {
  typename TypeParam::Config config;
  TypeParam::Complete(config);
  const mjModel* const model = config.model.get();
  Rng rng(0);
  const double ours = Each([&] {
    std::unique_ptr<TypeParam> env(new TypeParam(internal::MakeEnv<TypeParam>(config, rng, 0)));
    env->Reset();
    return env;
  });
  const double bare = Each([&] {
    std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(model), &mj_deleteData);
    mj_forward(model, data.get());
    return std::shared_ptr<mjData>(std::move(data));
  });
  std::printf("allocated: %.0f KiB per env, %.0f KiB per mjData, %.0f KiB model\n", ours / 1024,
              bare / 1024, static_cast<double>(mj_sizeModel(model)) / 1024);
  EXPECT_GT(bare, 10 * 1024);
  EXPECT_LT(ours, bare + 64 * 1024);
}

TEST(MemoryTest, PicturesThatAreNotUsedTakeNone) {
  // Per-env data of pictures: the camera's center, pointers, and a stack without frames.
  EXPECT_LE(sizeof(Pictured<HalfCheetah<5>>), sizeof(HalfCheetah<5>) + 128);
}

TEST(MemoryTest, ALoadedModelIsAllThatStays) {
  const int64_t before = Allocated();
  const Model dog = LoadTaskModel("dm_control", "dog_walk.xml", "dog_walk.xml", 0, {});
  const auto size = static_cast<double>(mj_sizeModel(dog.get()));
  EXPECT_GT(size, 50e6);
  EXPECT_LT(static_cast<double>(Allocated() - before), 1.05 * size);
}

TEST(MemoryTest, TheModelIsShared) {
  HalfCheetah<5>::Config config;
  HalfCheetah<5>::Complete(config);
  Rng rng(0);
  const HalfCheetah<5> one(config, rng), two(config, rng);
  // Copies: that of `config`, of each env's copy of it, and of each env's world.
  EXPECT_EQ(config.model.use_count(), 5);
}

}  // namespace
}  // namespace parallel_pool::mujoco
