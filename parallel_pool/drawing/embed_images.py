"""Writes pictures of the installed Gymnasium as a C++ header.

Usage: embed_images NAMESPACE PATTERN...    (paths inside Gymnasium's package)
       embed_images --license               (prints the license of the pictures)
"""

import importlib.metadata
import importlib.util
import pathlib
import sys
from collections.abc import Iterable

from PIL import Image

_MOST_COLORS = 256


def zoom_of(picture: Image.Image) -> int:
    """The side, in pixels, of the largest squares of one color that `picture` consists of."""
    for zoom in range(min(picture.size), 1, -1):
        if picture.width % zoom == 0 and picture.height % zoom == 0:
            small = _squares(picture, zoom)
            if small.resize(picture.size, Image.Resampling.NEAREST).tobytes() == picture.tobytes():
                return zoom
    return 1


def _squares(picture: Image.Image, zoom: int) -> Image.Image:
    size = (picture.width // zoom, picture.height // zoom)
    return picture.resize(size, Image.Resampling.NEAREST)


def definition(name: str, picture: Image.Image, number: int) -> tuple[list[str], str]:
    """C++ of one RGBA picture: lines with its data, and its element of kImages."""
    zoom = zoom_of(picture)
    raw = _squares(picture, zoom).tobytes()
    squares = [raw[i : i + 4] for i in range(0, len(raw), 4)]
    palette = sorted(set(squares))
    if len(palette) > _MOST_COLORS:
        raise ValueError(f"{name} has {len(palette)} colors; allowed are {_MOST_COLORS}")
    index = {color: i for i, color in enumerate(palette)}
    colors = ", ".join("{" + ", ".join(map(str, color)) + "}" for color in palette)
    numbers = ",".join(str(index[square]) for square in squares)
    data = [
        f"inline constexpr drawing::Rgba kPalette{number}[] = {{{colors}}};",
        f"inline constexpr uint8_t kSquares{number}[] = {{{numbers}}};",
    ]
    facts = f'"{name}", {picture.width}, {picture.height}, {zoom}, kPalette{number}'
    return data, f"    {{{facts}, kSquares{number}}},"


def header(namespace: str, files: Iterable[pathlib.Path]) -> str:
    """The whole header, with an array of all `files`; ValueError if two have the same name."""
    include = '#include "parallel_pool/drawing/image.h"'
    lines = ["#pragma once", include, f"namespace {namespace} {{"]
    elements: dict[str, str] = {}
    for number, file in enumerate(files):
        if file.stem in elements:
            raise ValueError(f"there are two images called {file.stem}")
        with Image.open(file) as picture:
            data, elements[file.stem] = definition(file.stem, picture.convert("RGBA"), number)
        lines += data
    lines += ["inline constexpr drawing::Image kImages[] = {", *elements.values(), "};"]
    return "\n".join([*lines, f"}}  // namespace {namespace}", ""])


def found(patterns: Iterable[str]) -> list[pathlib.Path]:
    """The files of Gymnasium that match `patterns`; FileNotFoundError if a pattern matches none."""
    spec = importlib.util.find_spec("gymnasium")
    assert spec is not None
    assert spec.origin is not None
    package = pathlib.Path(spec.origin).parent
    files: list[pathlib.Path] = []
    for pattern in patterns:
        files += sorted(package.glob(pattern)) or _missing(package, pattern)
    return files


def _missing(package: pathlib.Path, pattern: str) -> list[pathlib.Path]:
    raise FileNotFoundError(f"{package} has no {pattern}")


def license_text() -> str:
    """The text of Gymnasium's license, MIT."""
    text = importlib.metadata.distribution("gymnasium").read_text("licenses/LICENSE")
    assert text is not None
    assert text.startswith("The MIT License"), text
    return text


if __name__ == "__main__":
    print(
        license_text() if sys.argv[1] == "--license" else header(sys.argv[1], found(sys.argv[2:]))
    )
