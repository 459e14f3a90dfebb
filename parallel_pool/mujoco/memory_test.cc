// What one env more takes: its mjData, and little else.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <vector>

#include "parallel_pool/mujoco/half_cheetah.h"
#include "parallel_pool/mujoco/humanoid.h"

namespace parallel_pool::mujoco {
namespace {

constexpr int kEnvs = 200;

// Memory of this process, in bytes.
int64_t Resident() {
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// Bytes that each of kEnvs results of make() takes.
template <class Make>
double Each(const Make& make) {
  std::vector<decltype(make())> made(kEnvs);
  const int64_t before = Resident();
  for (auto& one : made) one = make();
  return static_cast<double>(Resident() - before) / kEnvs;
}

template <class Env>
class MemoryTest : public testing::Test {};
using Envs = testing::Types<HalfCheetah<5>, Humanoid<5>>;
TYPED_TEST_SUITE(MemoryTest, Envs);

TYPED_TEST(MemoryTest, IsThatOfAnMjdata) {
  typename TypeParam::Config config;
  TypeParam::Complete(config);
  const mjModel* const model = config.model.get();
  Rng rng(0);
  const double ours = Each([&] {
    auto env = std::make_unique<TypeParam>(config, rng);
    env->Reset();
    return env;
  });
  const double bare = Each([&] {
    std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(model), &mj_deleteData);
    mj_forward(model, data.get());
    return std::shared_ptr<mjData>(std::move(data));
  });
  std::printf("%.0f KiB an env; an mjData has %.0f KiB, the model %.0f KiB\n", ours / 1024,
              bare / 1024, static_cast<double>(mj_sizeModel(model)) / 1024);
  EXPECT_GT(bare, 10 * 1024);
  EXPECT_LT(ours, bare + 64 * 1024);
}

TEST(MemoryTest, TheModelIsShared) {
  HalfCheetah<5>::Config config;
  HalfCheetah<5>::Complete(config);
  Rng rng(0);
  const HalfCheetah<5> one(config, rng), two(config, rng);
  // Of `config`, of each env's own copy of it, and of each env's world.
  EXPECT_EQ(config.model.use_count(), 5);
}

}  // namespace
}  // namespace parallel_pool::mujoco
