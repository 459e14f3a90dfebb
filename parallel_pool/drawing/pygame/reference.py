"""pygame's own shapes next to those of capi.so, for the tests of this folder."""

import ctypes
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

os.environ["SDL_VIDEODRIVER"] = "dummy"  # pygame draws without a screen
import pygame
import pygame.gfxdraw

Image = npt.NDArray[np.uint8]
Points = npt.NDArray[np.float64]
Color = tuple[int, int, int]

LIBRARY = ctypes.CDLL(str(Path(__file__).parent / "capi.so"))
LIBRARY.Draw.restype = ctypes.c_bool


def pointer(array: npt.NDArray[Any]) -> ctypes.c_void_p:
    """The address of a C-contiguous array."""
    assert array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data)


def pygame_draw(
    shape: str, image: Image, points: Points, color: Color, width: int | None = None
) -> Image:
    """The image after pygame has drawn `shape` on it."""
    surface = pygame.Surface(image.shape[1::-1])
    pygame.surfarray.blit_array(surface, image.swapaxes(0, 1))
    where = [tuple(point) for point in points.tolist()]
    if shape.startswith("gfxdraw."):
        getattr(pygame.gfxdraw, shape.removeprefix("gfxdraw."))(surface, where, color)
    elif shape == "draw.aaline":
        pygame.draw.aaline(surface, color, *where)
    elif shape == "draw.aalines":
        pygame.draw.aalines(surface, color, bool(width), where)
    elif shape == "draw.circle":
        pygame.draw.circle(surface, color, where[0], width)
    elif shape == "draw.polygon of width 1":
        pygame.draw.polygon(surface, color, where, 1)
    elif shape == "draw.lines":
        pygame.draw.lines(surface, color, False, where, width)
    else:
        getattr(pygame.draw, shape.removeprefix("draw."))(surface, color, where)
    return np.asarray(pygame.surfarray.array3d(surface).swapaxes(0, 1))


def our_draw(
    shape: str, image: Image, points: Points, color: Color, width: int | None = None
) -> Image:
    """The image after this folder's code has drawn `shape` on it."""
    out = image.copy()
    points = np.ascontiguousarray(points, np.float64)
    bytes_of_color = np.array(color, np.uint8)
    assert LIBRARY.Draw(
        shape.encode(),
        pointer(out),
        *image.shape[:2],
        pointer(points),
        len(points),
        width or 0,
        pointer(bytes_of_color),
    ), f"capi.cc has no shape {shape!r}"
    return out
