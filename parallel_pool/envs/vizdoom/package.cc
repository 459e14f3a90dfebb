#include "parallel_pool/envs/vizdoom/package.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "parallel_pool/envs/vizdoom/scenario/words.h"

namespace parallel_pool::vizdoom {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNeeded[] = {"vizdoom", "vizdoom.pk3", "freedoom2.wad", "scenarios"};

// site-packages/vizdoom, if this code is site-packages/parallel_pool/envs/vizdoom/_family.so.
fs::path NextToThis() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&FindPackage), &here) == 0 ||
      here.dli_fname == nullptr) {
    return {};
  }
  const fs::path family = fs::absolute(here.dli_fname).parent_path();
  return family.parent_path().parent_path().parent_path() / "vizdoom";
}

// The start of a WAD file: its kind, the number of its lumps, and the place of their list.
struct WadHeader {
  char kind[4];
  int32_t num_lumps, offset;
};

struct WadLump {
  int32_t offset, size;
  char name[8];  // ends with a 0 if it is shorter
};

}  // namespace

fs::path FindPackage(const std::string& engine_path) {
  const fs::path folder = engine_path.empty() ? NextToThis() : fs::absolute(engine_path);
  for (const char* file : kNeeded) {
    if (fs::exists(folder / file)) continue;
    const std::string missing = (folder / file).string() + " does not exist. ";
    throw std::invalid_argument(
        missing + (engine_path.empty()
                       ? "This task needs the engine of ViZDoom: pip install "
                         "parallel_pool[vizdoom]. If vizdoom is installed elsewhere, the option "
                         "engine_path is its folder"
                       : "The option engine_path is the folder of the package vizdoom 1.3.2"));
  }
  return folder;
}

void CheckMap(const fs::path& wad, const std::string& map) {
  std::ifstream file(wad, std::ios::binary);
  WadHeader header{};
  file.read(reinterpret_cast<char*>(&header), sizeof(header));
  const std::string_view kind(header.kind, sizeof(header.kind));
  if (!file || (kind != "IWAD" && kind != "PWAD")) {
    throw std::invalid_argument(wad.string() + " is not a WAD file that can be read");
  }
  file.seekg(header.offset);
  for (int32_t i = 0; i < header.num_lumps; ++i) {
    WadLump lump{};
    if (!file.read(reinterpret_cast<char*>(&lump), sizeof(lump))) break;
    if (Upper({lump.name, strnlen(lump.name, sizeof(lump.name))}) == Upper(map)) return;
  }
  throw std::invalid_argument("doom_map is '" + map + "': there is no such map in " + wad.string());
}

}  // namespace parallel_pool::vizdoom
