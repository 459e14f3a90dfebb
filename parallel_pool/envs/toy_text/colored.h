// Text in the colors of a terminal (ECMA-48), as gymnasium.utils.colorize writes it.
#pragma once

#include <string>

namespace parallel_pool::toy_text {

enum class Color { kRed = 31, kGreen = 32, kYellow = 33, kBlue = 34, kMagenta = 35 };
enum class Style { kPlain, kBold, kHighlight };

inline std::string Colored(const std::string& text, Color color, Style style) {
  const int number = static_cast<int>(color) + (style == Style::kHighlight ? 10 : 0);
  return "\x1b[" + std::to_string(number) + (style == Style::kBold ? ";1m" : "m") + text +
         "\x1b[0m";
}

}  // namespace parallel_pool::toy_text
