#include "parallel_pool/envs/nethack/minihack/level.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <system_error>

extern char** environ;

namespace parallel_pool::nethack {

namespace fs = std::filesystem;

namespace {

using Files = std::map<std::string, std::string>;  // names and bytes

std::string Read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// A folder that is removed with all that is in it.
struct TemporaryFolder {
  TemporaryFolder() : path((fs::temp_directory_path() / "parallel_pool.XXXXXX").string()) {
    if (mkdtemp(path.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), path);
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path;
};

// Runs `compiler` in `folder` on the file level.des; its messages go to the file messages.
void Run(const fs::path& compiler, const std::string& folder) {
  const char* const arguments[] = {
      "sh",   "-c",           R"(cd "$1" && exec "$2" level.des > messages 2>&1)",
      "sh",   folder.c_str(), compiler.c_str(),
      nullptr};
  pid_t process = 0;
  const int error = posix_spawn(&process, "/bin/sh", nullptr, nullptr,
                                const_cast<char* const*>(arguments), environ);
  if (error != 0) throw std::system_error(error, std::generic_category(), compiler.string());
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {}
}

Files Compile(const std::string& text, const fs::path& nle) {
  const TemporaryFolder folder;
  std::ofstream(folder.path + "/level.des") << text;
  Run(nle / "nethackdir" / "lev_comp", folder.path);
  Files levels;
  for (const auto& entry : fs::directory_iterator(folder.path)) {
    if (entry.path().extension() == ".lev") levels[entry.path().filename()] = Read(entry.path());
  }
  const std::string messages = Read(folder.path + "/messages");
  if (levels.empty() || !messages.empty()) {
    throw std::invalid_argument("des_file is no level for NetHack's lev_comp: " +
                                (messages.empty() ? "it has no level" : messages));
  }
  return levels;
}

// A library of files in the form of NetHack's program dlb: a line with numbers, a line for each
// file with its place, then the files.
std::vector<uint8_t> Pack(Files files) {
  files["Directory"] = "";  // NetHack expects it to be the first
  size_t names = 0, head = 40;
  for (const auto& [name, bytes] : files) {
    names += name.size() + 1;
    head += name.size() + 11;
  }
  std::string list, contents;
  for (const auto& [name, bytes] : files) {
    const size_t place = name == "Directory" ? 0 : head + contents.size();
    char number[32];
    std::snprintf(number, sizeof(number), " %8zu\n", place);
    list += "n" + name + number;
    contents += bytes;
  }
  char first[64];
  std::snprintf(first, sizeof(first), "%3d %8zu %8zu %8zu %8zu\n", 1, files.size(), names, head,
                head + contents.size());
  const std::string all = first + list + contents;
  return {all.begin(), all.end()};
}

}  // namespace

const char* const kPlainRoom =
    "MAZE:\"mylevel\",' '\n"
    "FLAGS:hardfloor\n"
    "INIT_MAP:solidfill,' '\n"
    "GEOMETRY:center,center\n"
    "MAP\n.....\n.....\n.....\n.....\n.....\nENDMAP\n"
    "REGION:(0,0,5,5),lit,\"ordinary\"\n"
    "STAIR:random,down\n";

std::string ReadLevel(const std::string& des_file, const fs::path& minihack) {
  if (!des_file.ends_with(".des")) return des_file;
  for (const fs::path& file : {fs::absolute(des_file), minihack / "dat" / des_file}) {
    if (fs::is_regular_file(file)) return Read(file);
  }
  throw std::invalid_argument("des_file is '" + des_file + "': there is no such file in " +
                              fs::current_path().string() + " or " + (minihack / "dat").string());
}

std::shared_ptr<const std::vector<uint8_t>> CompileLevel(const std::string& text,
                                                         const fs::path& nle,
                                                         const fs::path& minihack) {
  using Bytes = std::vector<uint8_t>;
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const Bytes>> compiled;  // by folders and text
  const std::string key = nle.string() + '\n' + minihack.string() + '\n' + text;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const Bytes> data = compiled[key].lock();
  if (data == nullptr) {
    Files files = Compile(text, nle);
    for (const char* name : {"dungeon", "quest.dat"}) files[name] = Read(minihack / "lib" / name);
    compiled[key] = data = std::make_shared<const Bytes>(Pack(std::move(files)));
  }
  return data;
}

}  // namespace parallel_pool::nethack
