"""Writes glyphs of pygame's default font as a C++ header.

Usage: embed_font NAMESPACE SIZE CHARACTERS    (SIZE in pixels)
       embed_font --license                    (prints what the font file says about its license)
"""

import functools
import os
import pathlib
import struct
import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
import pygame

# SDL_ttf places a glyph at the sum of the advances before it, rounded down to whole pixels. An
# advance is from one character to the next, in 1/64 of a pixel, and includes the pair's kerning.
UNIT = 64


def advances(width: Callable[[str], int], characters: str) -> list[list[int]]:
    """The advance from each character (first index) to each other, from widths of texts.

    A width has only whole pixels. So each pair stands at the end of texts whose lengths before it
    have all fractions.
    """
    ruler, step = _ruler(width, characters)
    start = {c: _advance_after(width, ruler, step, 0, c) for c in characters}
    return [
        [_advance_after(width, ruler + a, step, start[a], b) for b in characters]
        for a in characters
    ]


def _ruler(width: Callable[[str], int], characters: str) -> tuple[str, int]:
    """A character whose advance to itself is odd, and that advance."""
    for c in characters:
        step = (width(c * (40 * UNIT + 1)) - width(c)) * UNIT // (40 * UNIT)
        if step % 2 == 1 and _is_step(width, c, step):
            return c, step
    raise ValueError(f"none of the characters {characters!r} has an odd advance to itself")


def _is_step(width: Callable[[str], int], c: str, step: int) -> bool:
    return all(width(c * (k + 1)) - width(c) == k * step // UNIT for k in range(1, 3 * UNIT))


def _advance_after(width: Callable[[str], int], text: str, step: int, known: int, last: str) -> int:
    """The advance from the end of `text` to `last`.

    Args:
        width: of a text, in pixels.
        text: its first character is the ruler's, of which more are put before it.
        step: the advance from the ruler's character to itself.
        known: the advance from the first character of `text` to its last one.
        last: the character.
    """
    lengths = [k * step + known for k in range(UNIT)]
    places = [width(text[0] * k + text + last) - width(last) for k in range(UNIT)]
    low = max(UNIT * p - x for p, x in zip(places, lengths, strict=True))
    high = min(UNIT * (p + 1) - x for p, x in zip(places, lengths, strict=True))
    if high - low != 1:
        raise ValueError(f"the widths of {text + last!r} allow the advances {low} to {high - 1}")
    return low


def glyph(font: "pygame.font.Font", character: str) -> npt.NDArray[np.uint8]:
    """Its levels, height x width: 0 for the background, 255 for the text."""
    picture = font.render(character, True, (255, 255, 255), (0, 0, 0))
    pixels = pygame.surfarray.array3d(picture).swapaxes(0, 1)
    assert (pixels == pixels[..., :1]).all()
    return np.ascontiguousarray(pixels[..., 0])


def header(namespace: str, size: int, characters: str) -> str:
    """The whole header, with the constant kFont."""
    pygame.font.init()
    font = pygame.font.Font(pygame.font.get_default_font(), size)
    width = functools.cache(lambda text: font.size(text)[0])
    pictures = [glyph(font, c) for c in characters]
    lines = [
        "#pragma once",
        '#include "parallel_pool/drawing/pygame/text.h"',
        f"namespace {namespace} {{",
    ]
    for i, picture in enumerate(pictures):
        levels = ",".join(map(str, picture.ravel()))
        lines.append(f"inline constexpr uint8_t kLevels{i}[] = {{{levels}}};")
    glyphs = ", ".join(f"{{{p.shape[1]}, kLevels{i}}}" for i, p in enumerate(pictures))
    table = ",".join(str(a) for row in advances(width, characters) for a in row)
    lines += [
        f"inline constexpr drawing::pygame::Glyph kGlyphs[] = {{{glyphs}}};",
        f"inline constexpr int16_t kAdvances[] = {{{table}}};",
        "inline constexpr drawing::pygame::Font kFont{",
        f'    "{characters}", {pictures[0].shape[0]}, kGlyphs, kAdvances}};',
        f"}}  // namespace {namespace}",
        "",
    ]
    return "\n".join(lines)


def license_text() -> str:
    """The font's name, copyright and license, as its file states them."""
    file = pathlib.Path(pygame.__file__).parent / pygame.font.get_default_font()
    names = font_names(file.read_bytes())
    facts = "\n".join(names[key] for key in (_FULL_NAME, _COPYRIGHT, _LICENSE, _LICENSE_URL))
    return f"The glyphs of the score were rendered with {file.name} of pygame-ce.\n\n{facts}\n"


_COPYRIGHT, _FULL_NAME, _LICENSE, _LICENSE_URL = 0, 4, 13, 14  # keys of a TrueType name table
_WINDOWS, _AMERICAN_ENGLISH = 3, 0x409  # the platform whose names are in UTF-16, a language


def font_names(data: bytes) -> dict[int, str]:
    """The names in a TrueType file, by key."""
    names: dict[int, str] = {}
    for i in range(*struct.unpack_from(">H", data, 4)):
        tag, _, start, _ = struct.unpack_from(">4sIII", data, 12 + 16 * i)
        if tag != b"name":
            continue
        _, count, strings = struct.unpack_from(">3H", data, start)
        for k in range(count):
            platform, _, language, key, size, offset = struct.unpack_from(
                ">6H", data, start + 6 + 12 * k
            )
            first = start + strings + offset
            if (platform, language) == (_WINDOWS, _AMERICAN_ENGLISH):
                names[key] = data[first : first + size].decode("utf-16-be")
    return names


if __name__ == "__main__":
    if sys.argv[1] == "--license":
        print(license_text())
    else:
        print(header(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
