"""Files of pictures: films as mp4 or gif, and one picture as png."""

import contextlib
import importlib
import itertools
import math
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from parallel_pool.python.pools.window import Picture

_MOST_GIF_FPS = 50  # browsers slow down gifs that are faster
_SHORTEST = 1.0  # seconds of a film


def check(out: str) -> None:
    """Checks that a film can be written to the file `out`.

    Raises:
        ValueError: its name has no ending of a format.
        RuntimeError: a library is not installed.
        OSError: the file cannot be written.
    """
    path = pathlib.Path(out)
    if path.suffix not in _FORMATS:
        raise ValueError(f"--out is {out!r}; allowed endings are {', '.join(_FORMATS)}")
    needed = _FORMATS[path.suffix]
    try:
        importlib.import_module(needed.module)
    except ImportError:
        raise RuntimeError(
            f"--out is {out!r}: {path.suffix} needs a library that is not installed: "
            f"pip install {needed.package}"
        ) from None
    why = "it is a folder" if path.is_dir() else None
    try:
        _part(path).touch()
        _part(path).unlink()
    except OSError as error:
        why = error.strerror
    if why:
        raise OSError(f"--out is {out!r}, which cannot be written: {why}")


def speed(count: int, fps: float) -> float:
    """Pictures per second of a film: `fps`, or fewer if it would last less than a second.

    Args:
        count: the number of pictures.
        fps: those of the task.
    """
    return min(fps, max(1, count) / _SHORTEST)


def write(out: str, pictures: Iterable[Picture], fps: float) -> None:
    """Writes the film; only a finished one replaces the file `out`, which check() accepts."""
    path = pathlib.Path(out)
    with _replaced(path) as part:
        _FORMATS[path.suffix].write(part, iter(pictures), fps)


def _part(path: pathlib.Path) -> pathlib.Path:
    """The file that is written before it becomes `path`."""
    return path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")


@contextlib.contextmanager
def _replaced(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """A new file next to `path`, which becomes it at the end, or is deleted after an error."""
    part = _part(path)
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _write_gif(path: pathlib.Path, pictures: Iterator[Picture], fps: float) -> None:
    from PIL import Image

    nth = math.ceil(fps / _MOST_GIF_FPS)
    images = map(Image.fromarray, _thinned(pictures, nth))
    first = next(images)
    first.save(path, save_all=True, append_images=images, duration=1000 * nth / fps, loop=0)


def _thinned(pictures: Iterator[Picture], nth: int) -> Iterator[Picture]:
    """Each nth picture, and the last one, which shows how the film ends."""
    left_out = None
    for i, picture in enumerate(pictures):
        left_out = None if i % nth == 0 else picture
        if left_out is None:
            yield picture
    if left_out is not None:
        yield left_out


def _write_png(path: pathlib.Path, pictures: Iterator[Picture], fps: float) -> None:
    from PIL import Image

    *_, last = pictures
    Image.fromarray(last).save(path)


def _write_mp4(path: pathlib.Path, pictures: Iterator[Picture], fps: float) -> None:
    import imageio_ffmpeg

    first = next(pictures)
    height, width = first.shape[:2]
    # H.264 has one pixel of color for four, so the height and the width must be even.
    more = ((0, height % 2), (0, width % 2), (0, 0))
    size = (width + width % 2, height + height % 2)
    writer = imageio_ffmpeg.write_frames(str(path), size, fps=fps, macro_block_size=1)
    writer.send(None)
    try:
        for picture in itertools.chain([first], pictures):
            writer.send(np.pad(picture, more).tobytes())
    finally:
        writer.close()


class _Format(NamedTuple):
    write: Callable[[pathlib.Path, Iterator[Picture], float], None]
    module: str  # that it needs
    package: str  # that has the module


_FORMATS = {
    ".mp4": _Format(_write_mp4, "imageio_ffmpeg", "imageio-ffmpeg"),
    ".gif": _Format(_write_gif, "PIL", "pillow"),
    ".png": _Format(_write_png, "PIL", "pillow"),
}
