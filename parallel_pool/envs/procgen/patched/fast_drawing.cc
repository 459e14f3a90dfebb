#include "parallel_pool/envs/procgen/patched/fast_drawing.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "parallel_pool/envs/procgen/patched/library.h"
#include "parallel_pool/envs/procgen/patched/scaled_image.h"

namespace parallel_pool::procgen {

namespace {

// Functions of the library.
using DrawFunction = void(void* game, void* painter, Rect* rect, float rotation, bool is_reflected,
                          int type, int theme, float alpha, float tile_ratio);
using ScaleFunction = void(uint8_t* screen, int screen_row, const uint8_t* image, int image_row,
                           int image_height, const Rect& rect, const Rect& part, const int* clip,
                           int alpha);
using TransformFunction = void(uint8_t* screen, int screen_row, const uint8_t* image, int image_row,
                               const Rect& rect, const Rect& part, const int* clip,
                               const void* transform, int alpha);

constexpr int kAllAlpha = 256;
constexpr int kClip[] = {0, 0, kScreenSize - 1, kScreenSize - 1};  // left, top, right, bottom

std::byte* g_base = nullptr;
ScaleFunction* g_copy = nullptr;  // Qt's own, for images without alpha
thread_local Canvas* t_canvas = nullptr;

Image ImageOf(void* image) {
  void* const data = At<void*>(image, layout::kImageData);
  return {At<const uint32_t*>(data, layout::kImagePixels), At<int32_t>(data, layout::kImageWidth),
          At<int32_t>(data, layout::kImageHeight),
          At<int32_t>(data, layout::kImageRow) / static_cast<int>(sizeof(uint32_t))};
}

// The image of an asset, made if it is new to the game.
void* FindAsset(void* game, int asset, bool is_reflected) {
  auto& assets = At<std::vector<std::shared_ptr<void>>>(game, layout::kAssets);
  if (assets[asset] == nullptr)
    FunctionAt<void(void*, int)>(g_base, layout::kMakeAsset)(game, asset);
  if (!is_reflected) return assets[asset].get();
  return At<std::vector<std::shared_ptr<void>>>(game, layout::kReflections)[asset].get();
}

// The rectangle as Qt's engine passes it on: from corner to corner, so its size is rounded.
Rect Mapped(const Rect& r) {
  return {r.x, r.y, (r.x + r.width) - r.x, (r.y + r.height) - r.y};
}

// Draws an image that is neither turned nor transparent as a whole, repeated along one axis if
// `tile_ratio` is not 0. In the library's mix of float and double.
void DrawTiles(const Image& image, const Rect& rect, float tile_ratio, uint32_t* screen) {
  if (tile_ratio == 0) return Blend(image, Mapped(rect), screen);
  const bool is_column = tile_ratio < 0;
  const double along = is_column ? rect.height : rect.width;
  const double across = is_column ? rect.width : rect.height;
  const int count =
      std::max(1, static_cast<int>(along / (across * (is_column ? -tile_ratio : tile_ratio))));
  const float length = static_cast<float>(along / count), width = static_cast<float>(across);
  for (int i = 0; i < count; ++i) {
    const float start = length * static_cast<float>(i);
    if (is_column) {
      Blend(image, Mapped({rect.x, rect.y + start, width, length}), screen);
    } else {
      Blend(image, Mapped({rect.x + start, rect.y, length, width}), screen);
    }
  }
}

// Draws an image turned about its center. False if Qt would draw it as one that is not turned.
bool DrawTurned(const Image& image, const Rect& rect, float rotation, int alpha, uint32_t* screen) {
  constexpr float kPi = 3.14159265358979323846f;
  struct Transform {
    alignas(16) std::byte bytes[128];  // a QTransform and room to spare
  } transform;
  FunctionAt<void(Transform*)>(g_base, layout::kMakeTransform)(&transform);
  FunctionAt<void(Transform*, double, double)>(g_base, layout::kTranslate)(
      &transform, rect.x + rect.width / 2, rect.y + rect.height / 2);
  FunctionAt<void(Transform*, double, int)>(g_base, layout::kRotate)(&transform,
                                                                     rotation * 180 / kPi, 2);
  constexpr int kScale = 2;
  if (FunctionAt<int(Transform*)>(g_base, layout::kTransformKind)(&transform) <= kScale)
    return false;
  const Rect centered = {-rect.width / 2, -rect.height / 2, rect.width, rect.height};
  const Rect whole = {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)};
  FunctionAt<TransformFunction>(g_base, layout::kDrawTransformed)(
      reinterpret_cast<uint8_t*>(screen), kScreenSize * 4,
      reinterpret_cast<const uint8_t*>(image.pixels), image.row * 4, centered, whole, kClip,
      &transform, alpha);
  return true;
}

void DrawFaint(const Image& image, const Rect& rect, int alpha, uint32_t* screen) {
  const Rect whole = {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)};
  FunctionAt<ScaleFunction>(g_base, layout::kDrawScaled)(
      reinterpret_cast<uint8_t*>(screen), kScreenSize * 4,
      reinterpret_cast<const uint8_t*>(image.pixels), image.row * 4, image.height, Mapped(rect),
      whole, kClip, alpha);
}

extern "C" {
// The library's draw_image after its first instructions, which the jump has replaced.
__attribute__((visibility("hidden"))) void* parallel_pool_procgen_draw_image_rest;
}

// The library's draw_image: the replaced instructions, then the rest.
__attribute__((naked)) void DrawByLibrary(void*, void*, Rect*, float, bool, int, int, float,
                                          float) {
  asm("push %rbp\n"
      "vmovaps %xmm0, %xmm3\n"
      "mov %rsp, %rbp\n"
      "jmp *parallel_pool_procgen_draw_image_rest(%rip)");
}

void DrawImage(void* game, void* painter, Rect* rect, float rotation, bool is_reflected, int type,
               int theme, float alpha, float tile_ratio) {
  const Canvas* const canvas = t_canvas;
  const auto draw_by_library = [&] {
    DrawByLibrary(game, painter, rect, rotation, is_reflected, type, theme, alpha, tile_ratio);
  };
  if (canvas == nullptr || At<bool>(game, layout::kMonochrome) ||
      At<bool>(game, layout::kGeneratedAssets)) {
    return draw_by_library();
  }
  void** const functions = At<void**>(game, 0);
  const int image_type =
      reinterpret_cast<int (*)(void*, int)>(functions[layout::kImageTypeFunction])(game, type);
  if (image_type < 0) return;
  if (image_type == layout::kSpace &&
      functions[layout::kDrawCellFunction] == g_base + layout::kDrawCell) {
    return;  // it draws nothing
  }
  if (image_type >= layout::kSpriteTypes || theme >= layout::kMaxThemes) return draw_by_library();
  void* const asset = FindAsset(game, image_type + theme * layout::kSpriteTypes, is_reflected);
  const Image image = ImageOf(asset);
  const Rect adjusted = reinterpret_cast<Rect (*)(void*, int, const Rect&)>(
      functions[layout::kAdjustRectFunction])(game, image_type, *rect);
  if (!CanDraw(image, adjusted)) return draw_by_library();
  const int opacity = static_cast<int>(double{alpha} * kAllAlpha);
  if (rotation != 0) {
    if (!DrawTurned(image, adjusted, rotation, opacity, canvas->screen)) draw_by_library();
  } else if (alpha != 1) {
    if (tile_ratio != 0) return draw_by_library();
    DrawFaint(image, adjusted, opacity, canvas->screen);
  } else {
    DrawTiles(image, adjusted, tile_ratio, canvas->screen);
  }
}

// In place of Qt's function for images without alpha: backgrounds.
void DrawBackground(uint8_t* screen, int screen_row, const uint8_t* image, int image_row,
                    int image_height, const Rect& rect, const Rect& part, const int* clip,
                    int alpha) {
  const Image opaque = {reinterpret_cast<const uint32_t*>(image), static_cast<int>(part.width),
                        image_height, image_row / 4};
  Canvas* const canvas = t_canvas;
  if (canvas == nullptr || reinterpret_cast<uint32_t*>(screen) != canvas->screen ||
      alpha != kAllAlpha || part.x != 0 || part.y != 0 || part.height != image_height ||
      opaque.row != opaque.width || !CanDraw(opaque, rect)) {
    return g_copy(screen, screen_row, image, image_row, image_height, rect, part, clip, alpha);
  }
  const bool is_same = canvas->background == opaque.pixels && canvas->place == rect;
  if (is_same && !canvas->drawn.empty()) {
    std::copy(canvas->drawn.begin(), canvas->drawn.end(), canvas->screen);
    return;
  }
  Copy(opaque, rect, canvas->screen);
  canvas->background = opaque.pixels;
  canvas->place = rect;
  canvas->drawn.clear();
  if (is_same) canvas->drawn.assign(canvas->screen, canvas->screen + kScreenSize * kScreenSize);
}

}  // namespace

void InstallFastDrawing(std::byte* base) {
  g_base = base;
  parallel_pool_procgen_draw_image_rest = base + layout::kDrawImageRest;
  At<DrawFunction*>(base, layout::kDrawImageHook) = DrawImage;
  auto& copy = At<ScaleFunction*>(base, layout::kCopyFunction);
  g_copy = copy;
  copy = DrawBackground;
}

FastDrawing::FastDrawing(Canvas& canvas) {
  t_canvas = &canvas;
}

FastDrawing::~FastDrawing() {
  t_canvas = nullptr;
}

}  // namespace parallel_pool::procgen
