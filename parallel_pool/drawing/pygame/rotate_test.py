"""Rotated surfaces, blits with alpha and rectangles equal pygame's by ==."""

import ctypes

import numpy as np
import pygame
import pytest

from parallel_pool.drawing.pygame.reference import LIBRARY, Image, pointer
from parallel_pool.testing.form import by_form


def noise(random: np.random.Generator, height: int, width: int) -> Image:
    """Random pixels of 4 bytes; alphas of 0 and 255 are frequent."""
    image = random.integers(0, 256, (height, width, 4), dtype=np.uint8)
    kind = random.integers(0, 3, (height, width))
    image[..., 3] = np.choose(kind, [0, 255, image[..., 3]])
    return image


def to_surface(image: Image) -> pygame.Surface:
    surface = pygame.Surface(image.shape[1::-1], pygame.SRCALPHA)
    pygame.surfarray.pixels3d(surface)[:] = image[..., :3].swapaxes(0, 1)
    pygame.surfarray.pixels_alpha(surface)[:] = image[..., 3].swapaxes(0, 1)
    return surface


def to_image(surface: pygame.Surface) -> Image:
    rgb = pygame.surfarray.array3d(surface)
    alpha = pygame.surfarray.array_alpha(surface)
    return np.concatenate([rgb, alpha[..., None]], axis=2).swapaxes(0, 1)


def our_blit(image: Image, target: Image, x: int, y: int, angle: float = 0.0) -> None:
    """Draws the turned image onto `target`, which has an alpha if its pixels have 4 bytes."""
    LIBRARY.BlitRotated(
        pointer(image),
        *image.shape[:2],
        ctypes.c_float(angle),
        x,
        y,
        pointer(target),
        *target.shape[:2],
        ctypes.c_bool(target.shape[2] == 4),
    )


def our_rotate(image: Image, angle: float) -> Image:
    """The turned image: a transparent surface takes its pixels as they are."""
    size = np.zeros(2, np.int32)
    LIBRARY.RotatedSize(pointer(image), *image.shape[:2], ctypes.c_float(angle), pointer(size))
    out = np.zeros((*size, 4), np.uint8)
    our_blit(image, out, 0, 0, angle)
    return out


def check_rotate(image: Image, angle: float) -> None:
    theirs = to_image(pygame.transform.rotate(to_surface(image), angle))
    np.testing.assert_array_equal(our_rotate(image, angle), theirs, err_msg=f"{angle!r}")


def test_rotations_equal_pygame() -> None:
    random = np.random.default_rng(0)
    for _ in range(by_form(3_000, 60_000)):
        height, width = (int(n) for n in random.integers(1, random.choice([4, 20, 70]), 2))
        check_rotate(noise(random, height, width), float(random.uniform(-800, 800)))


def test_multiples_of_45_degrees_and_their_neighbors_equal_pygame() -> None:
    random = np.random.default_rng(1)
    for turns in range(-17, 18):
        for near in (0.0, 1e-300, 1e-9, -1e-9, 3e-6, -3e-6, 1e-3, -1e-3, 0.5):
            for size in ((1, 1), (1, 2), (2, 1), (5, 3), (38, 38), (37, 49), (1, 60)):
                check_rotate(noise(random, *size), turns * 45 + near)


def test_headings_in_rad_equal_pygame() -> None:
    random = np.random.default_rng(2)
    for quarters in range(-8, 9):
        image = noise(random, 21, 30)
        check_rotate(image, float(np.rad2deg(quarters * np.pi / 2)))


@pytest.mark.parametrize("size", [(0, 0), (0, 3), (3, 0)])
@pytest.mark.parametrize("angle", [0.0, 90.0, 33.0])
def test_empty_surfaces_stay_as_they_are(size: tuple[int, int], angle: float) -> None:
    image = np.zeros((*size, 4), np.uint8)
    turned = pygame.transform.rotate(to_surface(image), angle)
    assert our_rotate(image, angle).shape[1::-1] == turned.get_size() == size[::-1]


@pytest.mark.parametrize("has_alpha", [False, True])
def test_blits_equal_pygame(has_alpha: bool) -> None:
    random = np.random.default_rng(3)
    for _ in range(by_form(3_000, 40_000)):
        height, width, *size = (int(n) for n in random.integers(1, 50, 4))
        image, target = noise(random, height, width), noise(random, *size)
        image[: random.integers(height)] = 0
        x, y = (int(n) for n in random.integers(-60, 60, 2))
        angle = float(random.choice([0, 90, random.uniform(-360, 360)]))
        below = to_surface(target)
        if not has_alpha:
            below = pygame.Surface(target.shape[1::-1])
            target = np.ascontiguousarray(target[..., :3])
            pygame.surfarray.blit_array(below, target.swapaxes(0, 1))
            assert below.get_bytesize() == 4
        below.blit(pygame.transform.rotate(to_surface(image), angle), (x, y))
        our_blit(image, target, x, y, angle)
        np.testing.assert_array_equal(target, to_image(below)[..., : target.shape[2]])


def test_all_blends_equal_pygame() -> None:
    """Each pair of levels with each alpha of the image and some of the target."""
    levels = np.arange(256, dtype=np.uint8)
    for alpha in range(0, 256, by_form(15, 1)):
        for alpha_below in (0, 1, 30, 128, 254, 255):
            image, target = (np.zeros((256, 256, 4), np.uint8) for _ in range(2))
            image[..., :3], image[..., 3] = levels[:, None, None], alpha
            target[..., :3], target[..., 3] = levels[None, :, None], alpha_below
            below = to_surface(target)
            below.blit(to_surface(image), (0, 0))
            our_blit(image, target, 0, 0)
            np.testing.assert_array_equal(target, to_image(below))


@pytest.mark.parametrize("width", [0, 1])
def test_rectangles_equal_pygame(width: int) -> None:
    random = np.random.default_rng(4)
    for _ in range(by_form(3_000, 40_000)):
        image = noise(random, *(int(n) for n in random.integers(1, 30, 2)))
        corner, size = random.integers(-20, 35, 2), random.integers(0, random.choice([4, 50]), 2)
        rect = np.array([*corner, *size], np.int32)
        color = random.integers(0, 256, 4, dtype=np.uint8)
        surface = to_surface(image)
        pygame.draw.rect(surface, color.tolist(), rect.tolist(), width)
        LIBRARY.DrawRect(pointer(image), *image.shape[:2], pointer(rect), pointer(color), width)
        np.testing.assert_array_equal(image, to_image(surface), err_msg=f"{rect}")
