#include "parallel_pool/envs/mujoco/rendering/gl.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <string>

namespace parallel_pool::mujoco {
namespace {

struct Kind {
  const char *name, *title, *packages;
  std::unique_ptr<GlLibrary> (*open)();
};
constexpr Kind kKinds[] = {
    {"egl", "EGL", "libegl1 and libgl1-mesa-dri, or a GPU's driver", &OpenEgl},
    {"osmesa", "OSMesa", "libosmesa6", &OpenOsmesa},
};

// Other values of MUJOCO_GL: the variable is also for programs that draw into windows.
constexpr const char* kEither[] = {"", "glfw", "glx", "enable", "enabled", "on", "true", "1"};

// The name of the kind in MUJOCO_GL, or "" for either; upper and lower case are equal, as in
// MuJoCo.
std::string Wanted() {
  const char* const value = std::getenv("MUJOCO_GL");
  std::string wanted = value == nullptr ? "" : value;
  for (char& c : wanted) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (std::ranges::find(kEither, wanted) != std::end(kEither)) return "";
  for (const Kind& kind : kKinds) {
    if (wanted == kind.name) return wanted;
  }
  throw GlError("pixels need OpenGL, but the environment variable MUJOCO_GL is '" + wanted +
                "'; allowed are 'egl' and 'osmesa', and 'glfw', 'on' or nothing for either");
}

std::unique_ptr<GlLibrary> OpenAny() {
  const std::string wanted = Wanted();
  std::string tried;
  for (const Kind& kind : kKinds) {
    if (!wanted.empty() && wanted != kind.name) continue;
    try {
      return kind.open();
    } catch (const GlError& error) {
      tried += std::string("; ") + kind.title + ": " + error.what() +
               " (Debian's packages: " + kind.packages + ")";
    }
  }
  throw GlError("pixels need OpenGL without a screen, and there is none" +
                (wanted.empty() ? "" : " with MUJOCO_GL=" + wanted) + tried);
}

}  // namespace

std::unique_ptr<GlContext> MakeGlContext() {
  static std::mutex mutex;
  static GlLibrary* library =
      nullptr;  // never closed: a forked child may have contexts of it when it ends
  static std::atomic<pid_t> process = 0;  // the process that opened it
  if (process != 0 && process != getpid()) {
    throw GlError(
        "this process was forked from one that had drawn, and OpenGL does not survive that; start "
        "it otherwise, as multiprocessing's \"spawn\" does");
  }
  const std::lock_guard lock(mutex);
  if (library == nullptr) {
    library = OpenAny().release();
    process = getpid();
  }
  return library->MakeContext();
}

}  // namespace parallel_pool::mujoco
