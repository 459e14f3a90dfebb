// EGL 1.5 without surfaces, on the first device that works: MuJoCo draws into its own framebuffers.
// Names and numbers are those of Khronos's registry.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sstream>
#include <string>

#include "parallel_pool/envs/mujoco/rendering/gl.h"
#include "parallel_pool/envs/mujoco/rendering/shared_library.h"

namespace parallel_pool::mujoco {
namespace {

using Handle = void*;  // EGLDisplay, EGLContext, EGLSurface, EGLConfig, EGLDeviceEXT
using Boolean = unsigned int;
using Enum = unsigned int;

constexpr int32_t kNone = 0x3038, kExtensions = 0x3055;
constexpr int32_t kDraw = 0x3059, kRead = 0x305A;
constexpr Enum kOpenGl = 0x30A2, kPlatformDevice = 0x313F, kPlatformSurfaceless = 0x31DD;
constexpr int32_t kConfig[] = {0x3024, 8,       // red, green, blue and alpha bits
                               0x3023, 8,       //
                               0x3022, 8,       //
                               0x3021, 8,       //
                               0x3025, 24,      // depth bits
                               0x3026, 8,       // stencil bits
                               0x3033, 0x0001,  // surfaces: pbuffers
                               0x3040, 0x0008,  // renders OpenGL
                               kNone};

struct Functions {
  explicit Functions(const SharedLibrary& library) {
    library.Find("eglBindAPI", bind_api);
    library.Find("eglChooseConfig", choose_config);
    library.Find("eglCreateContext", create_context);
    library.Find("eglDestroyContext", destroy_context);
    library.Find("eglGetCurrentContext", current_context);
    library.Find("eglGetCurrentDisplay", current_display);
    library.Find("eglGetCurrentSurface", current_surface);
    library.Find("eglGetError", error);
    library.Find("eglGetProcAddress", address);
    library.Find("eglInitialize", initialize);
    library.Find("eglMakeCurrent", make_current);
    library.Find("eglQueryAPI", api);
    library.Find("eglQueryString", string);
    // Extensions, which may be missing.
    get_display = reinterpret_cast<decltype(get_display)>(address("eglGetPlatformDisplayEXT"));
    get_devices = reinterpret_cast<decltype(get_devices)>(address("eglQueryDevicesEXT"));
  }

  Boolean (*bind_api)(Enum);
  Boolean (*choose_config)(Handle, const int32_t*, Handle*, int32_t, int32_t*);
  Handle (*create_context)(Handle, Handle, Handle, const int32_t*);
  Boolean (*destroy_context)(Handle, Handle);
  Handle (*current_context)();
  Handle (*current_display)();
  Handle (*current_surface)(int32_t);
  int32_t (*error)();
  void* (*address)(const char*);
  Boolean (*initialize)(Handle, int32_t*, int32_t*);
  Boolean (*make_current)(Handle, Handle, Handle, Handle);
  Enum (*api)();
  const char* (*string)(Handle, int32_t);
  Handle (*get_display)(Enum, void*, const int32_t*);
  Boolean (*get_devices)(int32_t, Handle*, int32_t*);
};

// An error with the failed call and EGL's reason.
GlError Failed(const Functions& egl, const char* what) {
  std::ostringstream text;
  text << what << " failed with error 0x" << std::hex << egl.error();
  return GlError(text.str());
}

// Selects OpenGL as the API of this thread's EGL calls, and restores the previous API at the end: a
// thread has a current context for each API.
class OpenGlApi {
 public:
  explicit OpenGlApi(const Functions& egl) : egl_(egl), before_(egl.api()) {
    if (egl.bind_api(kOpenGl) == 0) throw Failed(egl, "eglBindAPI(EGL_OPENGL_API)");
  }
  ~OpenGlApi() { egl_.bind_api(before_); }
  OpenGlApi(const OpenGlApi&) = delete;
  OpenGlApi& operator=(const OpenGlApi&) = delete;

 private:
  const Functions& egl_;
  const Enum before_;
};

class EglContext final : public GlContext {
 public:
  EglContext(const Functions& egl, Handle display, Handle config) : egl_(egl), display_(display) {
    const OpenGlApi api(egl_);
    context_ = egl_.create_context(display, config, nullptr, nullptr);
    if (context_ == nullptr) throw Failed(egl, "eglCreateContext");
  }
  ~EglContext() override { egl_.destroy_context(display_, context_); }

  void BeginUse() override {
    const OpenGlApi api(egl_);
    before_ = {egl_.current_display(), egl_.current_surface(kDraw), egl_.current_surface(kRead),
               egl_.current_context()};
    if (egl_.make_current(display_, nullptr, nullptr, context_) == 0) {
      throw Failed(egl_, "eglMakeCurrent");
    }
  }
  void EndUse() noexcept override {
    const OpenGlApi api(egl_);
    if (before_.context == nullptr) {
      egl_.make_current(display_, nullptr, nullptr, nullptr);
    } else {
      egl_.make_current(before_.display, before_.draw, before_.read, before_.context);
    }
  }

 private:
  const Functions& egl_;
  const Handle display_;
  Handle context_ = nullptr;
  struct { Handle display, draw, read, context; } before_ = {};  // of the thread, before BeginUse
};

class Egl final : public GlLibrary {
 public:
  Egl() : library_({"libEGL.so.1", "libEGL.so"}), egl_(library_), display_(OpenDisplay()) {
    Config();
    const char* const extensions = egl_.string(display_, kExtensions);
    if (extensions == nullptr || !std::strstr(extensions, "EGL_KHR_surfaceless_context")) {
      throw GlError("its device cannot draw without a surface (EGL_KHR_surfaceless_context)");
    }
  }

  std::unique_ptr<GlContext> MakeContext() override {
    // Another library of the process may have ended the display. Else this changes nothing.
    if (egl_.initialize(display_, nullptr, nullptr) == 0) throw Failed(egl_, "eglInitialize");
    return std::make_unique<EglContext>(egl_, display_, Config());
  }

 private:
  Handle Config() const {
    Handle config = nullptr;
    int32_t found = 0;
    if (egl_.choose_config(display_, kConfig, &config, 1, &found) == 0 || found < 1) {
      throw GlError("its device draws no OpenGL with 8 bits per color and 24 bits of depth");
    }
    return config;
  }
  Handle OpenDisplay() const {
    if (egl_.get_display == nullptr) throw GlError("it has no eglGetPlatformDisplayEXT");
    Handle devices[64];
    int32_t count = 0;
    if (egl_.get_devices == nullptr || egl_.get_devices(std::size(devices), devices, &count) == 0) {
      count = 0;
    }
    const char* const wanted = std::getenv("MUJOCO_EGL_DEVICE_ID");
    if (wanted != nullptr) {
      const Handle display = Display(kPlatformDevice, devices[Number(wanted, count)]);
      if (display == nullptr) throw Failed(egl_, "the device of MUJOCO_EGL_DEVICE_ID");
      return display;
    }
    for (int32_t i = 0; i < count; ++i) {
      if (const Handle display = Display(kPlatformDevice, devices[i])) return display;
    }
    if (const Handle display = Display(kPlatformSurfaceless, nullptr)) return display;
    throw GlError("there is no device that draws");
  }

  // The number of the device of the environment variable.
  static int32_t Number(const std::string& wanted, int32_t count) {
    const bool digits = !wanted.empty() && wanted.size() < 9 &&
                        wanted.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || std::stoi(wanted) >= count) {
      throw GlError("MUJOCO_EGL_DEVICE_ID is '" + wanted + "'; there are " + std::to_string(count) +
                    " devices, numbered from 0");
    }
    return std::stoi(wanted);
  }

  // The display of a device; nullptr if it does not work. It is never terminated, because other
  // libraries of the process may use it, too.
  Handle Display(Enum platform, Handle device) const {
    const Handle display = egl_.get_display(platform, device, nullptr);
    if (display == nullptr || egl_.initialize(display, nullptr, nullptr) == 0) return nullptr;
    return display;
  }

  const SharedLibrary library_;
  const Functions egl_;
  const Handle display_;
};

}  // namespace

std::unique_ptr<GlLibrary> OpenEgl() {
  return std::make_unique<Egl>();
}

}  // namespace parallel_pool::mujoco
