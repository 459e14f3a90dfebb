"""Pictures and keys in a terminal."""

import contextlib
import math
import re
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

if sys.platform == "win32":
    from parallel_pool.command_line import windows_console as console
else:
    from parallel_pool.command_line import posix_console as console

_HOME, _CLEAR_REST, _CLEAR_BELOW = "\x1b[H", "\x1b[K", "\x1b[J"
_HIDE_CURSOR, _SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
_OTHER_SCREEN, _BACK = "\x1b[?1049h", "\x1b[?1049l"
_CUT_LINES, _WRAP_LINES = "\x1b[?7l", "\x1b[?7h"

END = ""  # the key that stands for the end of the input
# An arrow or a function key; Alt and a key; a key.
_KEY = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|\x1b[^\x1b]|.", re.DOTALL)
_UNFINISHED = re.compile(r"\x1b([\[O][0-9;]*)?$")  # an arrow of which a part has arrived
_REST = 0.05  # seconds that its rest may take


def shrunk(frame: np.ndarray[Any, Any], columns: int, lines: int) -> np.ndarray[Any, Any]:
    """The picture (height, width, 3), shrunk to `columns` x `lines` characters of two pixels each.

    New pixels are means of old ones; the aspect ratio is kept.
    """
    height, width = frame.shape[:2]
    scale = min(columns / width, 2 * lines / height, 1)
    rows, cols = max(2, int(height * scale) // 2 * 2), max(1, int(width * scale))
    top = np.linspace(0, height, rows, endpoint=False).astype(int)
    left = np.linspace(0, width, cols, endpoint=False).astype(int)
    sums = np.add.reduceat(np.add.reduceat(frame.astype(np.int64), top, 0), left, 1)
    counts = np.outer(np.diff(top, append=height), np.diff(left, append=width))
    small: np.ndarray[Any, Any] = (sums // counts[..., None]).astype(np.uint8)
    return small


def drawn(frame: np.ndarray[Any, Any]) -> str:
    """A picture of even height in half blocks: two pixels per character, in true color."""
    lines = []
    for upper, lower in zip(frame[::2], frame[1::2], strict=True):
        last, line = None, []
        for pair in zip(map(tuple, upper.tolist()), map(tuple, lower.tolist()), strict=True):
            if pair != last:
                (r, g, b), (r2, g2, b2) = pair
                line.append(f"\x1b[38;2;{r};{g};{b};48;2;{r2};{g2};{b2}m")
                last = pair
            line.append("\u2580")
        lines.append("".join(line) + "\x1b[0m")
    return "\n".join(lines)


def show(lines: list[str]) -> None:
    """Writes the lines over the screen, without clearing it first: that would flicker."""
    print(_HOME + f"{_CLEAR_REST}\n".join(lines) + _CLEAR_REST + _CLEAR_BELOW, end="", flush=True)


@contextlib.contextmanager
def screen() -> Iterator[None]:
    """Opens an alternate screen that reads keys at once; restores the terminal at the end."""
    with console.keys_at_once():
        try:
            print(_OTHER_SCREEN + _HIDE_CURSOR + _CUT_LINES, end="", flush=True)
            yield
        finally:
            print(_WRAP_LINES + _SHOW_CURSOR + _BACK, end="", flush=True)


def keys(seconds: float | None) -> list[str]:
    """The keys that are typed in the next `seconds`; None: waits until one is typed.

    An arrow is one key: ESC [ A. So is a letter together with Alt: ESC p. The end of the input is
    END.
    """
    end = math.inf if seconds is None else time.monotonic() + seconds
    typed = ""
    while True:
        left = 0.0 if typed and seconds is None else end - time.monotonic()
        left = max(left, _REST if _UNFINISHED.search(typed) else 0.0)
        try:
            more = console.typed(left)
        except EOFError:
            return [*_KEY.findall(typed), END]
        if not more:
            break
        typed += more
    # Some terminals send arrows as ESC O A, others as ESC [ A.
    return [re.sub(r"^\x1bO(?=.)", "\x1b[", key) for key in _KEY.findall(typed)]
