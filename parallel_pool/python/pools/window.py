"""The window of render_mode="human"."""

import contextlib
import importlib
import io
import math
import os
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Picture = np.ndarray[Any, Any]  # (height, width, 3), uint8

_INSTEAD = 'give render_mode="rgb_array", and show or save the pictures that render() returns'

_users: list[str] = []  # the titles of those that have the window


def tile(pictures: Picture) -> Picture:
    """Pictures of one size, (number, height, width, 3), in rows of a nearly square number."""
    number, height, width, channels = pictures.shape
    columns = math.ceil(math.sqrt(number))
    rows = math.ceil(number / columns)
    tiles = np.zeros((rows * columns, height, width, channels), np.uint8)
    tiles[:number] = pictures
    tiles = tiles.reshape(rows, columns, height, width, channels).swapaxes(1, 2)
    return tiles.reshape(rows * height, columns * width, channels)


# Settings of SDL, on which pygame is built, unless the user sets them.
_SDL = {
    "SDL_NO_SIGNAL_HANDLERS": "1",  # else SIGTERM does not end the process
    # The drivers with a window of each system; others draw into none if there is no display.
    "SDL_VIDEODRIVER": "windows,cocoa,x11,wayland",
    "SDL_FRAMEBUFFER_ACCELERATION": "0",  # else its OpenGL is in the way of MuJoCo's
}


@contextlib.contextmanager
def _sdl_hints() -> Iterator[None]:
    hints = {name: value for name, value in _SDL.items() if name not in os.environ}
    os.environ.update(hints)
    try:
        yield
    finally:
        for name in hints:
            del os.environ[name]


class Window:
    """A window of pygame, which shows pictures at the speed of the task.

    A process has one window: it shows the picture that was drawn last, by any thread, and closes
    with the last pool that has it.
    """

    def __init__(self, task_id: str, fps: int) -> None:
        """Finds the display; the first show() opens the window.

        Args:
            task_id: the title.
            fps: the most pictures in a second; 0: no limit.

        Raises:
            ImportError: pygame is not installed.
            RuntimeError: this machine has no display.
        """
        what = f"{task_id}: render_mode is 'human'"
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # pygame's greeting
                self._pygame: Any = importlib.import_module("pygame")
        except ImportError:
            raise ImportError(
                f"{what}, which needs pygame: pip install pygame-ce; or {_INSTEAD}"
            ) from None
        try:
            with _sdl_hints():
                self._pygame.display.init()
        except self._pygame.error as error:
            raise RuntimeError(f"{what}, but there is no display ({error}): {_INSTEAD}") from None
        self._title = task_id
        self._fps = fps
        self._clock = self._pygame.time.Clock()
        _users.append(task_id)
        # Closes the window, unless another pool has it; also of a pool that is collected.
        self.close: Callable[[], Any] = weakref.finalize(self, _leave, self._pygame, task_id)

    def show(self, pictures: Picture) -> None:
        """Shows pictures, (number, height, width, 3), as tiles; waits until it is their time."""
        display = self._pygame.display
        picture = tile(pictures).swapaxes(0, 1)  # pygame's first axis is x
        screen = display.get_surface()
        if screen is None or screen.get_size() != picture.shape[:2]:
            with _sdl_hints():
                screen = display.set_mode(picture.shape[:2])
        display.set_caption(self._title)
        self._pygame.surfarray.blit_array(screen, picture)
        self._pygame.event.pump()  # else the system takes the window for hung
        display.flip()
        self._clock.tick(self._fps)


def _leave(pygame: Any, task_id: str) -> None:
    _users.remove(task_id)
    if not _users:
        pygame.display.quit()
