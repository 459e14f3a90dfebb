// OpenGL without a screen. Its libraries are opened when something is drawn for the first time, so
// that all else works where there are none.
#pragma once

#include <memory>
#include <stdexcept>

namespace parallel_pool::mujoco {

// There is no OpenGL, or it does not do what it should; the message says which package has it.
struct GlError : std::runtime_error { using std::runtime_error::runtime_error; };

// A context of OpenGL. Any thread may use it, one at a time.
class GlContext {
 public:
  virtual ~GlContext() = default;

  // Makes it the calling thread's until EndUse, which gives the thread back what it had before: the
  // context of another library, or none. GlError if it cannot be.
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

// A library that has contexts.
class GlLibrary {
 public:
  virtual ~GlLibrary() = default;
  // GlError if it cannot. Not for two threads at once.
  virtual std::unique_ptr<GlContext> MakeContext() = 0;
};

// GlError with the reason if the library is not there or cannot draw without a screen.
std::unique_ptr<GlLibrary> OpenEgl();
std::unique_ptr<GlLibrary> OpenOsmesa();

// A context of what the environment variable MUJOCO_GL names (egl or osmesa), else of EGL, else of
// OSMesa. The library is chosen once in a process. GlError if there is none, and in a process that
// was forked after that.
std::unique_ptr<GlContext> MakeGlContext();

}  // namespace parallel_pool::mujoco
