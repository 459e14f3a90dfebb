"""RenderText equals pygame.font.Font.render by ==."""

import ctypes

import numpy as np
import pygame
import pytest

from parallel_pool.drawing.pygame.reference import LIBRARY, Image, pointer
from parallel_pool.testing.form import by_form

LIBRARY.Text.restype = ctypes.c_bool


def our_text(text: str) -> Image:
    height, width = ctypes.c_int(), ctypes.c_int()
    size = ctypes.byref(height), ctypes.byref(width)
    assert LIBRARY.Text(text.encode(), *size, None)
    levels = np.full((height.value, width.value), 77, np.uint8)
    assert LIBRARY.Text(text.encode(), *size, pointer(levels))
    return levels


@pytest.fixture(scope="module")
def font() -> pygame.font.Font:
    pygame.font.init()
    return pygame.font.Font(pygame.font.get_default_font(), 42)


def pygame_text(font: pygame.font.Font, text: str) -> Image:
    picture = font.render(text, True, (255, 255, 255), (0, 0, 0))
    pixels = pygame.surfarray.array3d(picture).swapaxes(0, 1)
    assert (pixels == pixels[..., :1]).all()
    return np.asarray(pixels[..., 0])


def test_scores_equal_pygame(font: pygame.font.Font) -> None:
    for score in [*range(-120, 1001), *range(-9999, 10_000, by_form(37, 1))]:
        text = f"{score:04.0f}"
        np.testing.assert_array_equal(our_text(text), pygame_text(font, text), err_msg=text)


def test_long_texts_equal_pygame(font: pygame.font.Font) -> None:
    random = np.random.default_rng(0)
    for _ in range(100):
        text = "".join(random.choice(list("0123456789-"), random.integers(1, 60)))
        np.testing.assert_array_equal(our_text(text), pygame_text(font, text), err_msg=text)


def test_a_character_without_glyph_is_an_error() -> None:
    size = ctypes.byref(ctypes.c_int()), ctypes.byref(ctypes.c_int())
    assert not LIBRARY.Text(b"1,0", *size, None)
