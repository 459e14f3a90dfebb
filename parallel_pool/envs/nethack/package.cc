#include "parallel_pool/envs/nethack/package.h"

#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>

#include "parallel_pool/core/host.h"

namespace parallel_pool::nethack {

namespace fs = std::filesystem;

namespace {

constexpr const char* kLibrary = "libnethack.so";
constexpr const char* kData = "nethackdir/nhdat";

// The result of `load` for the file, which lives as long as a game or a spec has it.
template <class T, class Load>
std::shared_ptr<const T> Shared(const fs::path& file, Load load) {
  static std::mutex mutex;
  static std::map<fs::path, std::weak_ptr<const T>> loaded;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const T> found = loaded[file].lock();
  if (found == nullptr) loaded[file] = found = load();
  return found;
}

}  // namespace

fs::path FindPackage(const std::string& engine_path) {
  const bool is_given = !engine_path.empty();
  const fs::path folder = is_given ? fs::absolute(engine_path) : fs::path(PackageFolder("nle"));
  if (folder.empty()) {
    throw std::invalid_argument(
        "this task needs the engine of NetHack: pip install parallel_pool[nethack]. If the package "
        "nle is not Python's, the option engine_path is its folder");
  }
  for (const char* file : {kLibrary, kData}) {
    if (fs::exists(folder / file)) continue;
    throw std::invalid_argument(
        (folder / file).string() + " does not exist. " +
        (is_given ? "The option engine_path is the folder of the package nle 1.3.0"
                  : "Install the package nle 1.3.0 again, or give its folder as engine_path"));
  }
  return folder;
}

std::shared_ptr<const Library> LoadLibrary(const fs::path& package) {
  const fs::path file = package / kLibrary;
  return Shared<Library>(file, [&] { return std::make_shared<const Library>(file); });
}

std::shared_ptr<const std::vector<uint8_t>> LoadData(const fs::path& package) {
  using Bytes = std::vector<uint8_t>;
  const fs::path file = package / kData;
  return Shared<Bytes>(file, [&] {
    std::ifstream stream(file, std::ios::binary);
    return std::make_shared<const Bytes>(std::istreambuf_iterator<char>(stream),
                                         std::istreambuf_iterator<char>());
  });
}

}  // namespace parallel_pool::nethack
