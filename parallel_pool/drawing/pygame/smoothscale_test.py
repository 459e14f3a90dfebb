"""SmoothScale equals pygame.transform.smoothscale by ==, with pygame's backend for x86."""

import numpy as np
import pygame
import pytest

from parallel_pool.drawing.pygame.reference import LIBRARY, Image, pointer


def our_scale(image: Image, height: int, width: int) -> Image:
    out = np.full((height, width, 3), 77, np.uint8)
    LIBRARY.SmoothScale(pointer(image), *image.shape[:2], height, width, pointer(out))
    return out


def pygame_scale(image: Image, height: int, width: int) -> Image:
    surface = pygame.Surface(image.shape[1::-1])
    pygame.surfarray.blit_array(surface, image.swapaxes(0, 1))
    scaled = pygame.transform.smoothscale(surface, (width, height))
    return np.asarray(pygame.surfarray.array3d(scaled).swapaxes(0, 1))


def compare(random: np.random.Generator, size: tuple[int, int], height: int, width: int) -> None:
    assert pygame.transform.get_smoothscale_backend() == "SSE2"
    noise = random.integers(0, 256, (*size, 3), dtype=np.uint8)
    bright = random.integers(250, 256, (*size, 3), dtype=np.uint8)
    flat = np.full((*size, 3), random.integers(256), np.uint8)
    for image in (noise, bright, flat):
        np.testing.assert_array_equal(
            our_scale(image, height, width), pygame_scale(image, height, width)
        )


@pytest.mark.parametrize(("height", "width"), [(96, 96), (400, 600)])
def test_sizes_of_car_racing_equal_pygame(height: int, width: int) -> None:
    compare(np.random.default_rng(height), (800, 1000), height, width)


def test_random_sizes_equal_pygame() -> None:
    random = np.random.default_rng(0)
    for _ in range(150):
        height, width = (int(n) for n in random.integers(2, 150, 2))
        compare(random, (height, width), *(int(random.integers(1, n)) for n in (height, width)))
