#include "parallel_pool/envs/atari/rom.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "ale/emucore/MD5.hxx"
#include "ale/games/Roms.hpp"
#include "parallel_pool/core/platform/library.h"

namespace parallel_pool::atari {
namespace {

namespace fs = std::filesystem;

fs::path RomFolder() {
  const std::string here = platform::FileOf(reinterpret_cast<const void*>(&FindRom));
  if (here.empty()) throw std::invalid_argument("the folder of the Atari ROMs cannot be found");
  return fs::absolute(here).parent_path() / "roms";
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument("the ROM " + path.string() + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class From>
std::vector<int> Ints(const From& from) {
  return {from.begin(), from.end()};
}

std::string Md5OfFile(const fs::path& path) {
  const std::string bytes = ReadFile(path);
  return ale::stella::MD5(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

[[noreturn]] void ThrowDamaged(const fs::path& path, const std::string& md5,
                               const std::string& wanted) {
  throw std::invalid_argument("the ROM " + path.string() + " is damaged: its MD5 is " + md5 +
                              (wanted.empty() ? "" : ", not " + wanted));
}

fs::path RomPath(const std::string& name) {
  return RomFolder() / (name + ".bin");
}

Rom LoadRom(const std::string& name) {
  const fs::path path = RomPath(name);
  const std::string md5 = Md5OfFile(path);
  const std::unique_ptr<ale::RomSettings> game(ale::buildRomRLWrapper(path, md5));
  if (game == nullptr || game->md5() != md5) ThrowDamaged(path, md5, game ? game->md5() : "");
  return {.path = path.string(),
          .minimal_actions = Ints(game->getMinimalActionSet()),
          .legal_actions = Ints(game->getAllActions()),
          .modes = Ints(game->getAvailableModes()),
          .difficulties = Ints(game->getAvailableDifficulties())};
}

}  // namespace

std::string FindRomFile(const std::string& name, const std::string& md5) {
  const fs::path path = RomPath(name);
  const std::string found = Md5OfFile(path);
  if (found != md5) ThrowDamaged(path, found, md5);
  return path.string();
}

const Rom& FindRom(const std::string& name) {
  static std::mutex mutex;
  static auto& roms = *new std::map<std::string, Rom>();
  const std::lock_guard lock(mutex);
  auto found = roms.find(name);
  if (found == roms.end()) found = roms.emplace(name, LoadRom(name)).first;
  return found->second;
}

}  // namespace parallel_pool::atari
