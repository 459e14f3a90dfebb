#include "parallel_pool/envs/nethack/terminal.h"

#include <algorithm>
#include <cstddef>

#include "parallel_pool/drawing/canvas.h"
#include "parallel_pool/envs/nethack/font.h"

namespace parallel_pool::nethack {
namespace {

using drawing::Rgb;

// Black is shown as dark gray: NetHack has things of this color, on black ground.
constexpr Rgb kColors[] = {{85, 85, 85},    {170, 0, 0},    {0, 170, 0},    {170, 85, 0},
                           {60, 60, 220},   {170, 0, 170},  {0, 170, 170},  {170, 170, 170},
                           {85, 85, 85},    {255, 85, 85},  {85, 255, 85},  {255, 255, 85},
                           {100, 100, 255}, {255, 85, 255}, {85, 255, 255}, {255, 255, 255}};
constexpr char kFirst = ' ', kLast = '~';

char Printable(uint8_t character) {
  return character < kFirst || character > kLast ? ' ' : static_cast<char>(character);
}

uint8_t Mixed(uint8_t ground, uint8_t color, int share) {
  return static_cast<uint8_t>((ground * (255 - share) + color * share) / 255);
}

}  // namespace

ImageSize TerminalSize() {
  return {.height = kTerminalRows * kFontHeight, .width = kTerminalColumns * kFontWidth};
}

void DrawTerminal(const Arrays& arrays, View<uint8_t> rgb) {
  uint8_t* out = rgb.begin();
  for (int y = 0; y < kTerminalRows * kFontHeight; ++y) {
    const int row = y / kFontHeight;
    for (int column = 0; column < kTerminalColumns; ++column) {
      const int place = row * kTerminalColumns + column;
      const char character = Printable(arrays.tty_chars[place]);
      Rgb color = kColors[arrays.tty_colors[place] & 15], ground = drawing::kBlack;
      if (row == arrays.tty_cursor[0] && column == arrays.tty_cursor[1]) std::swap(color, ground);
      for (const uint8_t share : kFont[character - kFirst][y % kFontHeight]) {
        *out++ = Mixed(ground.red, color.red, share);
        *out++ = Mixed(ground.green, color.green, share);
        *out++ = Mixed(ground.blue, color.blue, share);
      }
    }
  }
}

std::string TerminalText(const Arrays& arrays) {
  std::string text;
  for (int row = 0; row < kTerminalRows; ++row) {
    const uint8_t* const line = arrays.tty_chars + row * kTerminalColumns;
    if (row > 0) text += '\n';
    std::transform(line, line + kTerminalColumns, std::back_inserter(text), Printable);
    text.erase(text.find_last_not_of(' ') + 1);
  }
  return text;
}

}  // namespace parallel_pool::nethack
