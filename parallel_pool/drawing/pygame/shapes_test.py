"""The shapes equal pygame's by ==."""

import ctypes
from collections.abc import Iterator

import numpy as np
import pygame
import pytest

from parallel_pool.drawing.pygame.reference import LIBRARY, Points, our_draw, pointer, pygame_draw
from parallel_pool.testing.form import by_form

HEIGHT, WIDTH = 80, 100


def spreads() -> tuple[tuple[float, float], ...]:
    """Ranges of corners: inside, across the borders, mostly outside, far outside, tiny."""
    return ((0, 80), (-30, 130), (-200, 300), (-9000, 9000), (40, 46))


def polygons(random: np.random.Generator, count: int) -> Iterator[Points]:
    """Polygons of 3 to 8 corners, which cross themselves or have level edges or equal corners."""
    for i in range(count):
        low, high = spreads()[i % len(spreads())]
        points = random.uniform(low, high, (random.integers(3, 9), 2))
        if random.random() < 0.3:
            points = np.trunc(points)
        if random.random() < 0.3:
            points[1] = points[0, 0], points[1, 1]
        if random.random() < 0.3:
            points[-1, 1] = points[-2, 1]
        if random.random() < 0.1:
            points[2] = points[1]
        if random.random() < 0.05:
            points[:, random.integers(2)] = points[0, 0]
        yield points


def quads(random: np.random.Generator, count: int) -> Iterator[Points]:
    """Squares and strips that are turned by any angle, some by about a multiple of 45 degrees."""
    for i in range(count):
        low, high = spreads()[i % 3]
        center = random.uniform(low, high, 2)
        angle = random.uniform(0, 7) if i % 4 else random.integers(8) * np.pi / 4
        x, y = random.uniform(1, 60, 2)
        corners = np.array([[x, y], [-x, y], [-x, -y], [x, -y]])
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        yield corners @ turn + center


def compare(
    shape: str, random: np.random.Generator, points: Points, width: int | None = None
) -> None:
    image = random.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    red, green, blue = (int(part) for part in random.integers(0, 256, 3))
    ours = our_draw(shape, image, points, (red, green, blue), width)
    theirs = pygame_draw(shape, image, points, (red, green, blue), width)
    np.testing.assert_array_equal(ours, theirs, err_msg=f"{shape} {points.tolist()}")


@pytest.mark.parametrize("shape", ["gfxdraw.aapolygon", "gfxdraw.filled_polygon", "draw.polygon"])
def test_polygons_equal_pygame(shape: str) -> None:
    random = np.random.default_rng(len(shape))
    for points in polygons(random, by_form(1_000, 30_000)):
        compare(shape, random, points)
    for points in quads(random, by_form(1_000, 30_000)):
        compare(shape, random, points)


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_lines_equal_pygame(width: int) -> None:
    random = np.random.default_rng(width)
    for points in polygons(random, by_form(700, 15_000)):
        compare("draw.lines", random, points, width)


def test_outlines_equal_pygame() -> None:
    random = np.random.default_rng(5)
    for points in polygons(random, by_form(700, 15_000)):
        compare("draw.polygon of width 1", random, points)


def test_circles_equal_pygame() -> None:
    random = np.random.default_rng(6)
    for points in polygons(random, by_form(700, 15_000)):
        compare("draw.circle", random, points, int(random.integers(random.choice([4, 90]))))


@pytest.mark.parametrize("shape", ["draw.aaline", "draw.aalines"])
@pytest.mark.parametrize("is_closed", [False, True])
def test_smooth_lines_equal_pygame(shape: str, is_closed: bool) -> None:
    random = np.random.default_rng(is_closed)
    count = by_form(500, 15_000)
    for points in (*polygons(random, count), *quads(random, count)):
        where = points[:2] if shape == "draw.aaline" else points
        compare(shape, random, where, int(is_closed))


def test_turned_points_equal_vector2() -> None:
    random = np.random.default_rng(3)
    angles = [*random.uniform(-20, 20, 2_000)]
    for turns in range(-9, 10):
        near = turns * np.pi / 2
        angles += [near, *(near + random.uniform(-3e-6, 3e-6, 50)), near + 1e-6, near - 1e-6]
    for angle in angles:
        point = random.normal(0, 300, 2)
        turned = pygame.Vector2(*point.tolist()).rotate_rad(float(angle))
        LIBRARY.RotateRad(pointer(point), ctypes.c_double(angle))
        assert tuple(point) == tuple(turned), angle
