// OpenGL without a screen. Its libraries are opened at the first picture, so that everything else
// works without them.
#pragma once

#include <memory>
#include <stdexcept>

namespace parallel_pool::mujoco {

// The error if OpenGL is missing or fails; the message names the package that has it.
struct GlError : std::runtime_error { using std::runtime_error::runtime_error; };

// An OpenGL context. Any thread may use it, one at a time.
class GlContext {
 public:
  virtual ~GlContext() = default;

  // Makes it the calling thread's current context until EndUse, which restores the previous one:
  // the context of another library, or none. Throws GlError if that fails.
  virtual void BeginUse() = 0;
  virtual void EndUse() noexcept = 0;
};

class GlUse {
 public:
  explicit GlUse(GlContext& context) : context_(context) { context_.BeginUse(); }
  ~GlUse() { context_.EndUse(); }
  GlUse(const GlUse&) = delete;
  GlUse& operator=(const GlUse&) = delete;

 private:
  GlContext& context_;
};

// A library that makes contexts.
class GlLibrary {
 public:
  virtual ~GlLibrary() = default;
  // Throws GlError if that fails. One thread at a time.
  virtual std::unique_ptr<GlContext> MakeContext() = 0;
};

// Opens a library. Throws GlError with the reason if it is missing or cannot draw without a screen.
std::unique_ptr<GlLibrary> OpenEgl();
std::unique_ptr<GlLibrary> OpenOsmesa();

// Makes a context of the library in the environment variable MUJOCO_GL (egl or osmesa), else of
// EGL, else of OSMesa. The library is chosen once in a process. Throws GlError if there is none,
// and in a process that was forked after that.
std::unique_ptr<GlContext> MakeGlContext();

}  // namespace parallel_pool::mujoco
