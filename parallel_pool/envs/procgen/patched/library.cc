#include "parallel_pool/envs/procgen/patched/library.h"

#include <dlfcn.h>
#include <locale.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "parallel_pool/core/instruction_sets.h"
#include "parallel_pool/envs/procgen/patched/fast_drawing.h"
#include "parallel_pool/envs/procgen/patched/images.h"

namespace parallel_pool::procgen {

// An option in the form of libenv.h, which Procgen's library implements.
struct Library::Option {
  char name[128];
  int32_t type;  // 1: uint8, 2: int32
  int32_t count;
  const void* value;
};

namespace {

constexpr const char* kGameNames[] = {
    "bigfish", "bossfight", "caveflyer", "chaser", "climber", "coinrun", "dodgeball", "fruitbot",
    "heist",   "jumper",    "leaper",    "maze",   "miner",   "ninja",   "plunder",   "starpilot"};

// The folder that contains this code: the library and the images are there. Without
// std::filesystem, which no libstdc++.so of the wheel's oldest systems has.
std::string OwnFolder() {
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&OwnFolder), &here) == 0) {
    throw std::runtime_error("the folder of Procgen's library is unknown");
  }
  std::string file = here.dli_fname;
  if (file.front() != '/') {
    char* const folder = getcwd(nullptr, 0);
    if (folder == nullptr) throw std::runtime_error("the working directory is unknown");
    file = std::string(folder) + "/" + file;
    std::free(folder);
  }
  return file.substr(0, file.rfind('/'));
}

// Restores the locale of the process: Qt sets that of the environment when it is used first. Under
// a locale with decimal commas, C libraries of the program would then read 0.5 as 0.
class KeptLocale {
 public:
  KeptLocale() : name_(setlocale(LC_ALL, nullptr)) {}
  ~KeptLocale() { setlocale(LC_ALL, name_.c_str()); }

 private:
  const std::string name_;
};

}  // namespace

const Library& Library::Get() {
  static const Library library;
  return library;
}

Library::Library() {
  if (!Has(InstructionSet::kAvx)) {
    throw std::runtime_error("Procgen's library needs a processor with AVX");
  }
  const KeptLocale kept_locale;
  const std::string folder = OwnFolder();
  const std::string file = folder + "/libparallel_pool_procgen.so";
  // Lazily: Qt's event loop, which is never run, would need functions of GLib.
  void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    throw std::runtime_error(std::string("Procgen's library cannot be loaded: ") + dlerror());
  }
  make_ = reinterpret_cast<decltype(make_)>(dlsym(library, "libenv_make"));
  close_ = reinterpret_cast<decltype(close_)>(dlsym(library, "libenv_close"));
  Dl_info place;
  dladdr(reinterpret_cast<const void*>(make_), &place);
  base_ = static_cast<std::byte*>(place.dli_fbase);

  InstallFastDrawing(base_);
  PrepareImages(base_, (folder + "/assets").c_str());
  for (const char* name : kGameNames) {
    GameOptions options;
    options.env_name = name;
    void* const games = Make(options);
    LoadSprites(base_, *At<void**>(games, layout::kGames));
    Close(games);
  }
}

void* Library::Make(const GameOptions& o) const {
  const int32_t num_actions = 15, num_threads = 0;
  std::vector<Option> options;
  const auto add = [&](const char* name, int32_t type, int32_t count, const void* value) {
    Option& option = options.emplace_back(Option{{}, type, count, value});
    std::strcpy(option.name, name);
  };
  const auto add_int = [&](const char* name, const int32_t& value) { add(name, 2, 1, &value); };
  const auto add_bool = [&](const char* name, const bool& value) { add(name, 1, 1, &value); };
  add("env_name", 1, static_cast<int32_t>(std::strlen(o.env_name)), o.env_name);
  add_int("num_actions", num_actions);
  add_int("num_threads", num_threads);
  add_int("rand_seed", o.rand_seed);
  add_int("distribution_mode", o.distribution_mode);
  add_int("num_levels", o.num_levels);
  add_int("start_level", o.start_level);
  add_int("debug_mode", o.debug_mode);
  add_bool("center_agent", o.center_agent);
  add_bool("use_backgrounds", o.use_backgrounds);
  add_bool("use_easy_jump", o.use_easy_jump);
  add_bool("use_monochrome_assets", o.use_monochrome_assets);
  add_bool("restrict_themes", o.restrict_themes);
  add_bool("use_generated_assets", o.use_generated_assets);
  add_bool("paint_vel_info", o.paint_vel_info);
  add_bool("use_sequential_levels", o.use_sequential_levels);
  return make_(1, {options.data(), static_cast<int>(options.size())});
}

}  // namespace parallel_pool::procgen
