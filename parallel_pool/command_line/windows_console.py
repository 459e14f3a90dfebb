"""The keys of a console of Windows; the functions are those of posix_console."""

import contextlib
import ctypes
import msvcrt
import sys
import time
from collections.abc import Iterator

assert sys.platform == "win32"  # mypy checks the rest there only

_UNDERSTANDS_ESCAPES = 4  # ENABLE_VIRTUAL_TERMINAL_PROCESSING
_PAUSE = 0.005  # seconds between two looks for a key
# The second code of an arrow, and what terminals send for it.
_ARROWS = {"H": "\x1b[A", "P": "\x1b[B", "M": "\x1b[C", "K": "\x1b[D"}
_UNKNOWN = "\x00"  # stands for other keys without a letter
_CTRL_C = "\x03"


@contextlib.contextmanager
def keys_at_once() -> Iterator[None]:
    """A block in which the console understands escape sequences. Keys always come at once."""
    kernel = ctypes.WinDLL("kernel32")
    console = ctypes.c_void_p(msvcrt.get_osfhandle(sys.stdout.fileno()))
    before = ctypes.c_uint32()
    kernel.GetConsoleMode(console, ctypes.byref(before))
    kernel.SetConsoleMode(console, before.value | _UNDERSTANDS_ESCAPES)
    try:
        yield
    finally:
        kernel.SetConsoleMode(console, before.value)


def typed(seconds: float) -> str:
    """The next key; "" if there is none within `seconds`."""
    end = time.monotonic() + seconds
    while not msvcrt.kbhit():
        if time.monotonic() >= end:
            return ""
        time.sleep(_PAUSE)
    key = msvcrt.getwch()
    if key == _CTRL_C:
        raise KeyboardInterrupt
    if key in "\x00\xe0" and msvcrt.kbhit():  # the first of two codes of a key without a letter
        return _ARROWS.get(msvcrt.getwch(), _UNKNOWN)
    return "\n" if key == "\r" else key
