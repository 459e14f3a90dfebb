"""Pictures of the locked Gymnasium become C++ constants."""

import re

import pytest
from PIL import Image

from parallel_pool.drawing import embed_images


def picture(*rows: str) -> Image.Image:
    """An RGBA picture of letters, each its own color."""
    image = Image.new("RGBA", (len(rows[0]), len(rows)))
    image.putdata([(ord(letter), 1, 2, 255) for letter in "".join(rows)])
    return image


@pytest.mark.parametrize(
    ("rows", "zoom"),
    [
        (("aabb", "aabb"), 2),
        (("aaaa", "aaaa"), 2),
        (("aabb", "aabc"), 1),
        (("aaabbb", "aaabbb", "aaabbb"), 3),
        (("aabbcc",), 1),
        (("aaaabb",) * 2, 2),
    ],
)
def test_squares_are_found(rows: tuple[str, ...], zoom: int) -> None:
    assert embed_images.zoom_of(picture(*rows)) == zoom


def test_a_definition() -> None:
    data, element = embed_images.definition("tile", picture("bbaa", "bbaa", "aaaa", "aaaa"), 7)
    assert data == [
        "inline constexpr drawing::Rgba kPalette7[] = {{97, 1, 2, 255}, {98, 1, 2, 255}};",
        "inline constexpr uint8_t kSquares7[] = {1,0,0,0};",
    ]
    assert element == '    {"tile", 4, 4, 2, kPalette7, kSquares7},'


def test_a_picture_of_many_colors_is_refused() -> None:
    image = Image.new("RGBA", (257, 1))
    image.putdata([(i % 256, i // 256, 0, 0) for i in range(257)])
    with pytest.raises(ValueError, match="photo has 257 colors; allowed are 256"):
        embed_images.definition("photo", image, 0)


def test_the_whole_header() -> None:
    """The header has each picture that a pattern matches once."""
    files = embed_images.found(["envs/toy_text/img/tile_*.png"])
    text = embed_images.header("parallel_pool::toy_text", files)
    assert re.findall(r'^ +\{"(\w+)", 64, 64, 4, ', text, re.MULTILINE) == [f.stem for f in files]
    assert len(files) == 4
    with pytest.raises(ValueError, match="two images called tile_hole"):
        embed_images.header("parallel_pool::toy_text", files * 2)
    with pytest.raises(FileNotFoundError, match="has no envs/toy_text/img/tlie"):
        embed_images.found(["envs/toy_text/img/tlie_*.png"])


def test_the_license_is_gymnasiums() -> None:
    assert "Farama Foundation" in embed_images.license_text()
