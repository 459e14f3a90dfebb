// A private folder that is removed with all of its files.
#pragma once

#include <filesystem>

namespace parallel_pool::vizdoom {

class TemporaryFolder {
 public:
  // Throws std::runtime_error with the reason if the folder cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace parallel_pool::vizdoom
