// Text in a font that is built into the plugin (embed_font.bzl writes it), as
// pygame.font.Font.render draws it: antialiased, white on black.
#pragma once

#include <cstdint>
#include <string_view>

#include "parallel_pool/core/plugin.h"

namespace parallel_pool::drawing::pygame {

struct Glyph {
  int width;
  const uint8_t* levels;  // font.height * width, row by row: 0 is black, 255 is white
};

struct Font {
  std::string_view characters;
  int height;               // of all glyphs
  const Glyph* glyphs;      // of each character
  const int16_t* advances;  // from each character to each next one, in 1/64 of a pixel
};

// The size of a text in pixels; std::invalid_argument for a character that the font lacks.
ImageSize TextSize(const Font& font, std::string_view text);

// Writes TextSize(...) levels, row by row.
void RenderText(const Font& font, std::string_view text, uint8_t* levels);

}  // namespace parallel_pool::drawing::pygame
