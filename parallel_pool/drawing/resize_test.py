"""Resizer equals cv2.resize by ==."""

import ctypes
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

Image = npt.NDArray[np.uint8]

LIBRARY = ctypes.CDLL(str(Path(__file__).parent / "resize_capi.so"))

# (height, width) before and after: smaller, equal and larger along either axis, whole factors, and
# factors of 2, which OpenCV rounds in another way. The first ones are for Doom's screens.
SIZES = [
    ((120, 160), (84, 84)), ((240, 320), (84, 84)), ((240, 320), (120, 160)),
    ((480, 640), (84, 84)), ((200, 320), (50, 80)), ((96, 96), (84, 84)), ((64, 64), (64, 64)),
    ((64, 64), (128, 128)), ((2, 268), (7, 5)), ((1, 1), (9, 4)), ((33, 70), (1, 1)),
    ((100, 300), (25, 60)), ((61, 47), (62, 46)),
]  # fmt: skip


def resize(image: Image, size: tuple[int, int], area: bool) -> Image:
    out = np.full(size, 77, np.uint8)
    LIBRARY.Resize(
        ctypes.c_void_p(image.ctypes.data),
        *image.shape,
        *size,
        ctypes.c_bool(area),
        ctypes.c_void_p(out.ctypes.data),
    )
    return out


def compare(random: np.random.Generator, before: tuple[int, int], after: tuple[int, int]) -> None:
    noise = random.integers(0, 256, before, dtype=np.uint8)
    few_levels = (random.integers(0, 2, before) * 255).astype(np.uint8)  # many ties in rounding
    for image in (noise, few_levels):
        for area in (True, False):
            method = cv2.INTER_AREA if area else cv2.INTER_LINEAR
            expected = cv2.resize(image, after[::-1], interpolation=method).reshape(after)
            np.testing.assert_array_equal(resize(image, after, area), expected)


@pytest.mark.parametrize(("before", "after"), SIZES)
def test_equals_opencv(before: tuple[int, int], after: tuple[int, int]) -> None:
    compare(np.random.default_rng(sum(before + after)), before, after)


def test_random_sizes_equal_opencv() -> None:
    random = np.random.default_rng(1)
    for _ in range(200):
        height, width, to_height, to_width = (int(n) for n in random.integers(1, 300, 4))
        compare(random, (height, width), (to_height, to_width))


@pytest.mark.parametrize(
    ("before", "after"), [((240, 320), (84, 84)), ((120, 160), (84, 84)), ((210, 160), (84, 84))]
)
def test_halves_are_rounded_as_opencv_does(before: tuple[int, int], after: tuple[int, int]) -> None:
    # Images of few and neighboring levels have many averages at or near a half.
    random = np.random.default_rng(2)
    for levels in (2, 3, 17):
        for _ in range(20):
            image = random.integers(0, levels, before, dtype=np.uint8)
            expected = cv2.resize(image, after[::-1], interpolation=cv2.INTER_AREA)
            np.testing.assert_array_equal(resize(image, after, True), expected)
