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

struct Package {
  std::string what, extra, name, version, option;
  std::vector<const char*> files;
};

// The folder of the package: `given`, or the one that Python finds.
fs::path Find(const Package& package, const std::string& given) {
  const fs::path folder =
      given.empty() ? fs::path(PackageFolder(package.name.c_str())) : fs::absolute(given);
  if (folder.empty()) {
    throw std::invalid_argument("this task needs " + package.what + ": pip install parallel_pool[" +
                                package.extra + "]. If the package " + package.name +
                                " is not Python's, the option " + package.option +
                                " is its folder");
  }
  const std::string named = "the package " + package.name + " " + package.version;
  for (const char* file : package.files) {
    if (fs::exists(folder / file)) continue;
    throw std::invalid_argument(
        (folder / file).string() + " does not exist. " +
        (given.empty() ? "Install " + named + " again, or give its folder as " + package.option
                       : "The option " + package.option + " is the folder of " + named));
  }
  return folder;
}

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
  return Find(
      {"the engine of NetHack", "nethack", "nle", "1.3.0", "engine_path", {kLibrary, kData}},
      engine_path);
}

fs::path FindMinihack(const std::string& minihack_path) {
  return Find({"the levels of MiniHack",
               "minihack",
               "minihack",
               "1.0.2",
               "minihack_path",
               {"lib/dungeon", "lib/quest.dat", "dat"}},
              minihack_path);
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
