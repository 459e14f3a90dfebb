#include "parallel_pool/envs/vizdoom/engine/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>

namespace parallel_pool::vizdoom {

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) parent = "/tmp";
  std::string name = parent / "parallel_pool_vizdoom_XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error(name + " cannot be made: " + std::strerror(errno));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace parallel_pool::vizdoom
