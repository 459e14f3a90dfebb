#include "parallel_pool/core/engine/family.h"

#include <stdexcept>

#include "gtest/gtest.h"

namespace parallel_pool {
namespace {

std::string Refusal(const std::string& path) {
  try {
    LoadFamily(path);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

TEST(LoadFamily, GivesTheTasks) {
  const Family& family = LoadFamily("parallel_pool/core/testing/_family.so");
  ASSERT_EQ(family.tasks.size, 12);
  EXPECT_STREQ(family.tasks[0]->spec().id, "Echo-v0");
}

TEST(LoadFamily, SaysWhatIsWrong) {
  EXPECT_NE(Refusal("nowhere.so").find("nowhere.so: cannot open"), std::string::npos);
  EXPECT_NE(Refusal("parallel_pool/core/testing/no_family.so").find("no family of envs"),
            std::string::npos);
  EXPECT_NE(Refusal("parallel_pool/core/testing/old_family.so").find("built for version 0"),
            std::string::npos);
}

}  // namespace
}  // namespace parallel_pool
