#include "parallel_pool/envs/vizdoom/package.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "parallel_pool/core/host.h"
#include "parallel_pool/envs/vizdoom/scenario/words.h"

namespace parallel_pool::vizdoom {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNeeded[] = {"vizdoom", "vizdoom.pk3", "freedoom2.wad", "scenarios"};

// The start of a WAD file: its kind, the number of its lumps, and the place of their list.
struct WadHeader {
  char kind[4];
  int32_t num_lumps, offset;
};

struct WadLump {
  int32_t offset, size;
  char name[8];  // ends with a 0 if it is shorter
};

// The file `name`: an absolute path, or relative to one of `folders`. Throws with the name of the
// option.
fs::path FindFile(const char* option, const fs::path& name, std::vector<fs::path> folders) {
  std::string places;
  for (const fs::path& folder : folders) {
    if (const fs::path file = folder / name; fs::is_regular_file(file)) return file;
    places += (places.empty() ? "" : ", ") + folder.string();
    if (name.is_absolute()) break;
  }
  throw std::invalid_argument(std::string(option) + " is '" + name.string() +
                              "': there is no such file" +
                              (name.is_absolute() ? "" : " in " + places));
}

// Takes the user's value, if there is one.
void Keep(const Lines& given, Lines& value) {
  if (!given.text.empty()) value = given;
}

}  // namespace

fs::path FindPackage(const std::string& engine_path) {
  const bool is_given = !engine_path.empty();
  const fs::path folder = is_given ? fs::absolute(engine_path) : fs::path(PackageFolder("vizdoom"));
  if (folder.empty()) {
    throw std::invalid_argument(
        "this task needs the engine of ViZDoom: pip install parallel_pool[vizdoom]. If the package "
        "vizdoom is not Python's, the option engine_path is its folder");
  }
  for (const char* file : kNeeded) {
    if (fs::exists(folder / file)) continue;
    throw std::invalid_argument(
        (folder / file).string() + " does not exist. " +
        (is_given ? "The option engine_path is the folder of the package vizdoom 1.3.2"
                  : "Install the package vizdoom 1.3.2 again, or give its folder as engine_path"));
  }
  return folder;
}

void LoadScenario(const fs::path& package, const std::string& config_file, Scenario& scenario) {
  const Scenario given = scenario;
  const fs::path here = fs::current_path(), scenarios = package / "scenarios";
  const fs::path file = FindFile("scenario_config_file", config_file, {scenarios, here});
  ReadScenario(file, scenario);
  const auto find_wad = [&](const char* option, const std::string& user, std::string& path) {
    if (!user.empty()) path = user;
    return FindFile(option, path, {user.empty() ? file.parent_path() : here, package, scenarios});
  };
  if (!given.doom_scenario_path.empty() || !scenario.doom_scenario_path.empty()) {
    scenario.wad =
        find_wad("doom_scenario_path", given.doom_scenario_path, scenario.doom_scenario_path);
  }
  if (scenario.doom_game_path.empty()) scenario.doom_game_path = "freedoom2.wad";
  scenario.game_wad = find_wad("doom_game_path", given.doom_game_path, scenario.doom_game_path);

  Keep(given.available_buttons, scenario.available_buttons);
  Keep(given.available_game_variables, scenario.available_game_variables);
  FindNames(scenario);
  if (scenario.buttons.empty()) {
    throw std::invalid_argument("available_buttons is []: " + file.string() + " names none");
  }
}

void FindNames(Scenario& scenario) {
  scenario.buttons = FindAll(ButtonNames(), scenario.available_buttons, "available_buttons has");
  scenario.variables =
      FindAll(VariableNames(), scenario.available_game_variables, "available_game_variables has");
}

void CheckMap(const Scenario& scenario) {
  const fs::path& wad = scenario.wad.empty() ? scenario.game_wad : scenario.wad;
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
    if (Upper({lump.name, strnlen(lump.name, sizeof(lump.name))}) == Upper(scenario.doom_map))
      return;
  }
  throw std::invalid_argument("doom_map is '" + scenario.doom_map + "': there is no such map in " +
                              wad.string());
}

}  // namespace parallel_pool::vizdoom
