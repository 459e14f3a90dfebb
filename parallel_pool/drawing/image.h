// Small pictures that are built into a plugin (embed_images.bzl writes them).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace parallel_pool::drawing {

struct Rgba { uint8_t red, green, blue, alpha; };

// Pixel art: squares of zoom x zoom pixels, each of one color.
struct Image {
  std::string_view name;
  int width, height, zoom;  // in pixels; width and height are multiples of zoom
  const Rgba* palette;
  const uint8_t* squares;  // indices into the palette, row by row

  constexpr Rgba At(int x, int y) const {
    return palette[squares[y / zoom * (width / zoom) + x / zoom]];
  }
};

// The image called `name`. If `name` is a constant, a wrong one is a compiler error.
template <class Images>
constexpr const Image& Find(const Images& images, std::string_view name) {
  for (const Image& image : images) {
    if (image.name == name) return image;
  }
  throw std::out_of_range("there is no image of this name");
}

}  // namespace parallel_pool::drawing
