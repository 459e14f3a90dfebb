// A folder of made-up system files (/sys, /proc), for code that takes the root as an argument.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace parallel_pool {

class MadeUpRoot {
 public:
  MadeUpRoot() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "/" + test->test_suite_name() + "." + test->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~MadeUpRoot() { std::filesystem::remove_all(folder_); }
  MadeUpRoot(const MadeUpRoot&) = delete;
  MadeUpRoot& operator=(const MadeUpRoot&) = delete;

  const std::string& path() const { return folder_; }

  // Replaces the file at `path` ("/sys/..."); adds a line break, as the system does.
  MadeUpRoot& Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file(folder_ + path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
    return *this;
  }

 private:
  std::string folder_;
};

}  // namespace parallel_pool
