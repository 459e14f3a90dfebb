import itertools

import pytest

from parallel_pool.drawing.pygame import embed_font

# advances in 1/64 of a pixel
ADVANCES = {"aa": 101, "ab": 90, "ba": 128, "bb": 64}


def width(text: str) -> int:
    pairs = itertools.pairwise(text)
    return sum(ADVANCES["".join(pair)] for pair in pairs) // embed_font.UNIT + 2


def test_advances_are_found_from_widths() -> None:
    assert embed_font.advances(width, "ab") == [[101, 90], [128, 64]]


def test_a_font_without_odd_advance_is_refused() -> None:
    with pytest.raises(ValueError, match="none of the characters 'b' has an odd advance"):
        embed_font.advances(width, "b")


def test_the_license_names_its_owner() -> None:
    text = embed_font.license_text()
    assert "Copyright 2002 Free Software Foundation." in text
    assert "GNU General Public License" in text
