// OSMesa: Mesa on the CPU, without EGL. Names and numbers are those of its header.
#include <cstdint>

#include "parallel_pool/envs/mujoco/rendering/gl.h"
#include "parallel_pool/envs/mujoco/rendering/shared_library.h"

namespace parallel_pool::mujoco {
namespace {

using Handle = void*;  // OSMesaContext
using Enum = unsigned int;

constexpr Enum kRgba = 0x1908, kUnsignedByte = 0x1401;
constexpr int32_t kType = 0x22;
constexpr int32_t kDepthBits = 24, kStencilBits = 8, kAccumulationBits = 0;

struct Functions {
  explicit Functions(const SharedLibrary& library) {
    library.Find("OSMesaCreateContextExt", create);
    library.Find("OSMesaDestroyContext", destroy);
    library.Find("OSMesaMakeCurrent", make_current);
    library.Find("OSMesaGetCurrentContext", current);
    library.Find("OSMesaGetColorBuffer", buffer);
    library.Find("OSMesaGetIntegerv", integer);
  }

  Handle (*create)(Enum, int32_t, int32_t, int32_t, Handle);
  void (*destroy)(Handle);
  unsigned char (*make_current)(Handle, void*, Enum, int32_t, int32_t);
  Handle (*current)();
  unsigned char (*buffer)(Handle, int32_t*, int32_t*, int32_t*, void**);
  void (*integer)(int32_t, int32_t*);
};

class OsmesaContext final : public GlContext {
 public:
  explicit OsmesaContext(const Functions& osmesa)
      : osmesa_(osmesa),
        context_(osmesa.create(kRgba, kDepthBits, kStencilBits, kAccumulationBits, nullptr)) {
    if (context_ == nullptr) throw GlError("OSMesaCreateContextExt failed");
  }
  ~OsmesaContext() override { osmesa_.destroy(context_); }

  void BeginUse() override {
    before_ = {};
    before_.context = osmesa_.current();
    if (before_.context != nullptr) {
      int32_t format;
      osmesa_.buffer(before_.context, &before_.width, &before_.height, &format, &before_.buffer);
      osmesa_.integer(kType, &before_.type);
    }
    if (osmesa_.make_current(context_, pixel_, kUnsignedByte, 1, 1) == 0) {
      throw GlError("OSMesaMakeCurrent failed");
    }
  }
  void EndUse() noexcept override {
    osmesa_.make_current(before_.context, before_.buffer, static_cast<Enum>(before_.type),
                         before_.width, before_.height);
  }

 private:
  const Functions& osmesa_;
  const Handle context_;
  uint8_t pixel_[4] = {};  // its own picture, unused: MuJoCo draws into its own framebuffers
  // The context of this thread before BeginUse.
  struct {
    Handle context;
    void* buffer;
    int32_t type, width, height;
  } before_ = {};
};

class Osmesa final : public GlLibrary {
 public:
  Osmesa() : library_({"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"}), osmesa_(library_) {}

  std::unique_ptr<GlContext> MakeContext() override {
    return std::make_unique<OsmesaContext>(osmesa_);
  }

 private:
  const SharedLibrary library_;
  const Functions osmesa_;
};

}  // namespace

std::unique_ptr<GlLibrary> OpenOsmesa() {
  return std::make_unique<Osmesa>();
}

}  // namespace parallel_pool::mujoco
