"""FrameMaker equals cv2 by ==: colors, the maximum of two screens, then cv2.resize."""

import ctypes
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

Image = npt.NDArray[np.uint8]

# The same code with and without the parts for newer processors.
LIBRARIES = [
    ctypes.CDLL(str(Path(__file__).parent / name))
    for name in ("screen_capi.so", "screen_capi_portable.so")
]

# Height, width. Smaller, equal and larger than the screen along either axis, whole factors, and
# factors of 2 (which OpenCV rounds in another way).
SIZES = [
    (84, 84), (42, 42), (64, 64), (96, 96), (128, 128), (105, 80), (210, 80), (105, 160), (70, 40),
    (210, 160), (250, 160), (214, 160), (80, 105), (209, 159), (211, 161), (1, 1), (2, 2), (7, 5),
    (7, 10), (30, 20), (42, 32), (125, 80), (250, 200), (420, 320), (300, 320), (84, 160),
    (210, 84), (300, 160), (210, 200), (300, 100), (100, 300), (250, 84), (500, 3), (3, 600),
    (217, 253), (2, 268), (325, 70), (1000, 999),
]  # fmt: skip


def make_frame(
    palette: Image, newer: Image, older: Image, size: tuple[int, int], gray: bool, area: bool
) -> Image:
    frames = []
    for library in LIBRARIES:
        frame = np.full((1 if gray else 3, *size), 77, np.uint8)
        library.MakeFrame(
            *(ctypes.c_void_p(a.ctypes.data) for a in (palette, newer, older)),
            newer.shape[0],
            *size,
            ctypes.c_bool(gray),
            ctypes.c_bool(area),
            ctypes.c_void_p(frame.ctypes.data),
        )
        frames.append(frame)
    np.testing.assert_array_equal(frames[0], frames[1])
    return frames[0]


def expected_frame(
    palette: Image, newer: Image, older: Image, size: tuple[int, int], gray: bool, area: bool
) -> Image:
    colors = palette[:1] if gray else palette[1:]
    merged = np.stack([np.maximum(c[newer], c[older]) for c in colors], axis=-1)
    method = cv2.INTER_AREA if area else cv2.INTER_LINEAR
    resized = cv2.resize(merged, size[::-1], interpolation=method).reshape(*size, -1)
    return np.ascontiguousarray(resized.transpose(2, 0, 1)).astype(np.uint8)


def screens(rng: np.random.Generator, height: int, kind: str) -> tuple[Image, Image]:
    """Two screens: noise, or flat areas with a few objects, as games draw them."""
    if kind == "noise":
        newer, older = rng.integers(0, 256, (2, height, 160), dtype=np.uint8)
        return newer, older
    newer = np.zeros((height, 160), np.uint8)
    for _ in range(40):
        top, left = rng.integers(0, height), rng.integers(0, 160)
        bottom, right = top + rng.integers(1, 60), left + rng.integers(1, 60)
        newer[top:bottom, left:right] = rng.integers(0, 256)
    older = newer.copy()
    older[50:60, 20:30] = rng.integers(0, 256)
    return newer, older


@pytest.mark.parametrize("area", [True, False])
@pytest.mark.parametrize("gray", [True, False])
@pytest.mark.parametrize("size", SIZES)
def test_every_size(size: tuple[int, int], gray: bool, area: bool) -> None:
    rng = np.random.default_rng(sum(size))
    for height in (210, 250):
        for kind in ("noise", "flat"):
            palette = rng.integers(0, 256, (4, 256), dtype=np.uint8)
            newer, older = screens(rng, height, kind)
            arguments = (palette, newer, older, size, gray, area)
            np.testing.assert_array_equal(make_frame(*arguments), expected_frame(*arguments))


@pytest.mark.parametrize("area", [True, False])
def test_random_sizes(area: bool) -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        height, width = (int(n) for n in rng.integers(1, 400, 2))
        palette = rng.integers(0, 256, (4, 256), dtype=np.uint8)
        arguments = (palette, *screens(rng, 210, "noise"), (height, width), True, area)
        np.testing.assert_array_equal(make_frame(*arguments), expected_frame(*arguments))


@pytest.mark.parametrize("kind", ["noise", "flat"])
@pytest.mark.parametrize("levels", [2, 8, 64, 256])
def test_default_format(kind: str, levels: int) -> None:
    """Shrink; few gray levels make many ties, where the last bit of OpenCV's float sum decides."""
    rng = np.random.default_rng(levels)
    ties = 0
    for trial in range(60):
        palette = (rng.integers(0, levels, (4, 256)) * (255 // (levels - 1))).astype(np.uint8)
        newer, older = screens(rng, 210, kind)
        if trial % 3 == 0:
            older = newer
        arguments = (palette, newer, older, (84, 84), True, True)
        expected = expected_frame(*arguments)
        np.testing.assert_array_equal(make_frame(*arguments), expected)
        ties += count_ties(np.maximum(palette[0][newer], palette[0][older]))
    assert ties > 0, "these screens do not test ties"


def count_ties(image: Image) -> int:
    """Outputs of a 210x160 to 84x84 area resize that lie halfway between two values."""

    def overlaps(inputs: int, wide: int, unit: int) -> npt.NDArray[np.int64]:
        begin, index = np.arange(84)[:, None] * wide, np.arange(inputs)[None] * unit
        shared = np.minimum(begin + wide, index + unit) - np.maximum(begin, index)
        counted: npt.NDArray[np.int64] = np.maximum(shared, 0)
        return counted

    sums = overlaps(210, 5, 2) @ image.astype(np.int64) @ overlaps(160, 40, 21).T
    return int(np.count_nonzero(sums % 200 == 100))
