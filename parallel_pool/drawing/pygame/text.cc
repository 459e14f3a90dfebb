#include "parallel_pool/drawing/pygame/text.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace parallel_pool::drawing::pygame {
namespace {

size_t IndexOf(const Font& font, char character) {
  const size_t index = font.characters.find(character);
  if (index == std::string_view::npos) {
    throw std::invalid_argument(std::string("the font has no glyph of '") + character +
                                "'; it has \"" + std::string(font.characters) + "\"");
  }
  return index;
}

// Calls visit(glyph, x) for each glyph, where x is its first column.
template <class Visit>
void ForEachGlyph(const Font& font, std::string_view text, Visit visit) {
  int x = 0;  // in 1/64 of a pixel
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t index = IndexOf(font, text[i]);
    if (i > 0) {
      x += font.advances[IndexOf(font, text[i - 1]) * font.characters.size() + index];
    }
    visit(font.glyphs[index], x >> 6);
  }
}

}  // namespace

ImageSize TextSize(const Font& font, std::string_view text) {
  int width = 0;
  ForEachGlyph(font, text,
               [&](const Glyph& glyph, int x) { width = std::max(width, x + glyph.width); });
  return {font.height, width};
}

void RenderText(const Font& font, std::string_view text, uint8_t* levels) {
  const ImageSize size = TextSize(font, text);
  std::fill_n(levels, size.height * size.width, 0);
  ForEachGlyph(font, text, [&](const Glyph& glyph, int x) {
    const uint8_t* from = glyph.levels;
    for (int y = 0; y < font.height; ++y) {
      uint8_t* const row = levels + y * size.width + x;
      // Kerning lets the boxes of two glyphs overlap, but not what is drawn in them.
      for (int i = 0; i < glyph.width; ++i, ++from) row[i] = std::max(row[i], *from);
    }
  });
}

}  // namespace parallel_pool::drawing::pygame
