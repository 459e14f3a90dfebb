"""Writes the printable ASCII characters of a font as a C++ header.

The font is DejaVu Sans Mono, which matplotlib contains.

Usage: embed_font            (prints the header)
       embed_font --license  (prints the license of the font)
"""

import importlib.util
import pathlib
import sys

from PIL import Image, ImageDraw, ImageFont

_WIDTH, _HEIGHT, _SIZE = 8, 16, 13  # pixels of a character, and the size of the font


def _folder() -> pathlib.Path:
    spec = importlib.util.find_spec("matplotlib")
    assert spec is not None and spec.origin is not None
    return pathlib.Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"


def header() -> str:
    """The array kFont[character - ' '][row][column] of shares of the color, 0 to 255."""
    font = ImageFont.truetype(_folder() / "DejaVuSansMono.ttf", _SIZE)
    characters = []
    for code in range(ord(" "), ord("~") + 1):
        picture = Image.new("L", (_WIDTH, _HEIGHT))
        ImageDraw.Draw(picture).text((0, 0), chr(code), fill=255, font=font)
        raw = picture.tobytes()
        rows = [raw[i : i + _WIDTH] for i in range(0, len(raw), _WIDTH)]
        characters.append("{" + ",".join("{" + ",".join(map(str, row)) + "}" for row in rows) + "}")
    return (
        "#pragma once\n#include <cstdint>\nnamespace parallel_pool::nethack {\n"
        f"inline constexpr int kFontWidth = {_WIDTH}, kFontHeight = {_HEIGHT};\n"
        f"inline constexpr uint8_t kFont[{len(characters)}][kFontHeight][kFontWidth] = {{\n"
        + ",\n".join(characters)
        + "};\n}  // namespace parallel_pool::nethack"
    )


if __name__ == "__main__":
    if "--license" in sys.argv:
        print((_folder() / "LICENSE_DEJAVU").read_text())
    else:
        print(header())
